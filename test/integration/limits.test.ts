import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp } from 'lookback';
import { local } from '../local-peer.js';

describe('limits of an application', () => {
  it('are what its options say, over a socket and without one; the message names the option', async () => {
    const app = createApp({
      configuration: { env: 'test', debug: true, profilerStore: 'off' },
      logHandlers: [],
      limits: { body: 10 },
    });
    app.post('/', async ({ request }) => request.text());
    const { url } = await app.listen({ port: 0 });
    for (const ask of [
      (body: string) => fetch(url, { method: 'POST', body }),
      (body: string) => app.fetch('/', { method: 'POST', body, ...local }),
    ]) {
      assert.equal(await (await ask('1234567890')).text(), '1234567890');
      const refused = await ask('12345678901');
      assert.equal(refused.status, 413);
      assert.match(await refused.text(), /limit of 10 bytes[\s\S]*limits\.body in the options of createApp/);
    }
    await app.close();
  });
});
