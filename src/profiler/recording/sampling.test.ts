import assert from 'node:assert/strict';
import { checkOptions } from '#core/options';
import { sampleSchema } from '../option-schemas.js';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HttpRequest } from '#core/http';
import { isProfiled, Sampler, signSample } from './sampling.js';

const secret = 'a secret of at least thirty-two characters';

function ask(header?: string, target = '/'): HttpRequest {
  const rawHeaders = ['Host', 'localhost', ...(header === undefined ? [] : ['X-Lookback-Sample', header])];
  const peer = { address: '127.0.0.1', port: 1, encrypted: false };
  return new HttpRequest({ method: 'GET', target, rawHeaders, httpVersion: '1.1', peer });
}

describe('Sampler', () => {
  it('keeps everything by default', () => {
    assert.equal(new Sampler().decide(ask()), 'keep');
  });

  it('keeps about the requested share', () => {
    const sampler = new Sampler({ rate: 0.3 });
    const kept = Array.from({ length: 4000 }, () => sampler.decide(ask())).filter((one) => one === 'keep');
    // Seven standard deviations in a binomial distribution around 1,200.
    assert.ok(Math.abs(kept.length - 1200) < 203, String(kept.length));
  });

  it('tail-samples the others, unless neither errors nor slow requests are wanted', () => {
    assert.equal(new Sampler({ rate: 0 }).decide(ask()), 'maybe');
    assert.equal(new Sampler({ rate: 0, errors: false }).decide(ask()), 'maybe');
    assert.equal(new Sampler({ rate: 0, errors: false, slowMs: false }).decide(ask()), 'skip');
  });

  it('keeps failed and slow ones among those', () => {
    const sampler = new Sampler({ rate: 0, slowMs: 200 });
    assert.ok(sampler.keeps({ failed: true, durationMs: 1 }));
    assert.ok(sampler.keeps({ failed: false, durationMs: 200 }));
    assert.ok(!sampler.keeps({ failed: false, durationMs: 199 }));
    assert.ok(!new Sampler({ errors: false, slowMs: false }).keeps({ failed: true, durationMs: 1e9 }));
  });

  it('keeps requests with a signed header, until it expires', () => {
    const sampler = new Sampler({ rate: 0, secret });
    assert.equal(sampler.decide(ask(signSample(secret))), 'keep');
    assert.equal(sampler.decide(ask(signSample(secret, { until: new Date(Date.now() - 2000) }))), 'maybe');
    assert.equal(sampler.decide(ask(signSample(`${secret}!`))), 'maybe');
    assert.equal(new Sampler({ rate: 0 }).decide(ask(signSample(secret))), 'maybe');
    const [, signature] = signSample(secret).split('.');
    assert.equal(sampler.decide(ask(`99999999999.${signature}`)), 'maybe');
  });

  it('accepts no other header as signed', () => {
    const sampler = new Sampler({ rate: 0, secret });
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('0123456789.abcABC-_= ')) }), (text) => {
        assert.equal(sampler.decide(ask(text)), 'maybe');
      }),
    );
  });

  it('rejects invalid options', () => {
    for (const options of [{ rate: -0.1 }, { rate: 1.1 }, { rate: Number.NaN }, { secret: 'short' }])
      assert.throws(() => checkOptions('test', options, sampleSchema), { code: 'OPTIONS_BAD_VALUE' });
    assert.throws(() => signSample('short'), RangeError);
  });
});

describe('a CPU profile', () => {
  it("is taken if the request names it, by clients with access, and never for the profiler's pages", () => {
    const named = ask(undefined, '/?a=1&_profile=cpu');
    assert.equal(isProfiled(named, { mayProfile: true }), true);
    assert.equal(isProfiled(named, {}), false);
    assert.equal(isProfiled(named, { mayProfile: true, origin: 'profiler' }), false);
    for (const target of ['/', '/?_profile=cpux', '/?x_profile=cpu'])
      assert.equal(isProfiled(ask(undefined, target), { mayProfile: true }), false, target);
  });
});
