import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createApp } from 'lookback';

it('the error page shows local variables in development, unless LOOKBACK_LOCALS turns them off', async () => {
  const pageOf = async (locals: boolean): Promise<string> => {
    const app = createApp({
      configuration: {
        env: 'dev',
        debug: true,
        profilerStore: 'memory:',
        host: '127.0.0.1',
        port: 0,
        locals,
      },
      logHandlers: [],
    });
    app.get('/', () => {
      const basket = ['pencil', 'paper'];
      throw new Error(`Nobody pays for ${basket.length} things.`);
    });
    const { url } = await app.listen();
    try {
      return await (await fetch(url, { headers: { Accept: 'text/html' } })).text();
    } finally {
      await app.close();
    }
  };
  const page = await pageOf(true);
  assert.match(page, /<dt>basket<\/dt>/);
  assert.doesNotMatch(await pageOf(false), /<dt>basket<\/dt>/);
});
