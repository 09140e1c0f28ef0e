import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp, dump } from 'lookback';
import { local } from '../local-peer.js';

describe('dump', () => {
  it('keeps a snapshot with its location, and changes neither the value nor the response', async () => {
    const app = createApp({
      configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
      logHandlers: [],
    });
    try {
      app.get('/dump', () => {
        const basket = { items: ['tea'], password: 'letmein' };
        assert.equal(dump(basket, 'basket'), basket);
        basket.items.push('later');
        for (let at = 0; at < 120; at++) dump(at);
        return 'as before';
      });
      const answer = await app.fetch('http://localhost/dump', local);
      assert.equal(await answer.text(), 'as before');
      const token = answer.headers.get('x-debug-token') ?? '';
      const page = await (await app.fetch(`http://localhost/_profiler/${token}?panel=dump`, local)).text();
      assert.match(page, /basket \(.*dumps\.test\.ts:\d+/);
      assert.ok(page.includes('tea') && !page.includes('later') && !page.includes('letmein'));
      assert.match(page, /21 further dumps were left out/);
    } finally {
      await app.close();
    }
  });

  it('returns its value even if nothing is recorded', () => {
    const value = {
      get bad(): never {
        throw new Error('no');
      },
    };
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    for (const one of [value, revoked.proxy, undefined, null, Number.NaN, 10n, 'text', Symbol('s'), () => 1])
      assert.ok(Object.is(dump(one), one));
  });
});
