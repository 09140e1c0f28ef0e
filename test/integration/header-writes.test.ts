import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp, HttpResponse, responseEvent } from 'lookback';
import { local } from '../local-peer.js';

describe('the code that set a header', () => {
  const writesOf = async (
    debug: boolean,
  ): Promise<readonly { by: string | null; name: string; value: string | null }[]> => {
    const app = createApp({
      configuration: { env: 'test', debug, profilerStore: 'memory:' },
      logHandlers: [],
    });
    try {
      app.on(responseEvent, ({ response }) => response.headers.set('X-Frame', 'DENY'), {
        name: 'first',
        priority: 20,
      });
      app.on(
        responseEvent,
        async ({ response }) => {
          await Promise.resolve();
          response.headers.set('x-frame', 'SAMEORIGIN');
          response.headers.append('Set-Cookie', 'session=secret-value');
          response.headers.delete('x-own');
        },
        { name: 'second', priority: 10 },
      );
      app.get('/', () => HttpResponse.text('ok', { headers: { 'X-Own': '1' } }));
      const answer = await app.fetch('/', local);
      assert.equal(answer.headers.get('x-frame'), 'SAMEORIGIN');
      const { rows = [] } = (await app.profiler?.list()) ?? {};
      const found = await app.profiler?.find(rows[0]?.token ?? '');
      assert.equal(found?.kind, 'found');
      const section = found.record.sections['headers'] as { writes: [] } | undefined; // the type that the collector stores
      if (!debug) return section?.writes ?? [];
      const page = await app.fetch(`/_profiler/${rows[0]?.token}?panel=request`, local);
      assert.match(await page.text(), /Who set the headers[\s\S]*SAMEORIGIN[\s\S]*second/);
      return section?.writes ?? [];
    } finally {
      await app.close();
    }
  };

  it('is the controller, then each listener in turn, without secrets', async () => {
    const writes = await writesOf(true);
    const of = (name: string): unknown[] =>
      writes.filter((write) => write.name.toLowerCase() === name).map(({ by, value }) => [by, value]);
    assert.deepEqual(of('x-frame'), [
      ['first', 'DENY'],
      ['second', 'SAMEORIGIN'],
    ]);
    assert.deepEqual(of('x-own'), [
      [null, '1'],
      ['second', null],
    ]);
    assert.deepEqual(
      of('x-debug-token').map((write) => (write as unknown[])[0]),
      ['debug token'],
    );
    assert.equal(of('set-cookie').length, 1);
    assert.doesNotMatch(JSON.stringify(writes), /secret-value/);
  });

  it('is not recorded outside debug', async () => {
    assert.deepEqual(await writesOf(false), []);
  });
});
