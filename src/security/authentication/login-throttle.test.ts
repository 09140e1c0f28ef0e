import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createLoginThrottle } from './login-throttle.js';

describe('createLoginThrottle', () => {
  it('lets as many tries at once happen as there is room, and decides about the others when these are settled', async () => {
    const throttle = createLoginThrottle({ perUser: 2 });
    assert.equal(await throttle.take('ada', '::1'), undefined);
    assert.equal(await throttle.take('ada', '::1'), undefined);
    const [third, fourth] = [throttle.take('ada', '::1'), throttle.take('ada', '::1')];
    await throttle.settle('ada', '::1', 'failure');
    await throttle.settle('ada', '::1', 'success');
    assert.equal(await third, undefined, 'the success made room');
    assert.equal(await fourth, undefined);
    await throttle.settle('ada', '::1', 'failure');
    await throttle.settle('ada', '::1', 'failure');
    assert.ok(Number(await throttle.take('ada', '::1')) > 0);
    assert.equal(await throttle.take('bob', '::1'), undefined);
    assert.equal(await throttle.take('ada', '192.0.2.1'), undefined);
  });

  it('counts no try that failed for another reason, and begins anew after the interval', async (test) => {
    let now = 0;
    test.mock.method(performance, 'now', () => now);
    const throttle = createLoginThrottle({ perUser: 1, interval: 60 });
    for (let n = 0; n < 5; n++) {
      assert.equal(await throttle.take('ada', '::1'), undefined);
      await throttle.settle('ada', '::1', 'unknown');
    }
    await throttle.take('ada', '::1');
    await throttle.settle('ada', '::1', 'failure');
    assert.equal(await throttle.take('ada', '::1'), 60);
    now += 60_000;
    assert.equal(await throttle.take('ada', '::1'), undefined);
  });

  it('keeps a bounded number of names, and leaves no one waiting for one that it forgot', async () => {
    const throttle = createLoginThrottle({ perUser: 1, limit: 4 });
    await throttle.take('ada', '192.0.2.1');
    const waiting = throttle.take('ada', '192.0.2.1');
    for (let n = 0; n < 10; n++) await throttle.take(`user ${n}`, `192.0.2.${n + 10}`);
    assert.equal(await waiting, undefined);
  });

  it('takes spellings of one address or name for one', async () => {
    const spellings = fc.constantFrom(
      '2001:db8::1',
      '2001:DB8:0:0:1::5',
      '2001:0db8:0000:0000::',
      '2001:db8:0:0:9:9:9:9',
    );
    const names = fc.constantFrom('Ada', 'ada', 'ADA', 'ａｄａ');
    await fc.assert(
      fc.asyncProperty(spellings, spellings, names, names, async (first, second, name, other) => {
        const throttle = createLoginThrottle({ perUser: 1 });
        await throttle.take(name, first);
        await throttle.settle(name, first, 'failure');
        assert.ok(Number(await throttle.take(other, second)) > 0, `${name} ${first} | ${other} ${second}`);
      }),
    );
  });
});
