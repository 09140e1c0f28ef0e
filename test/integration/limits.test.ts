import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { createApp } from 'lookback';
import { receiveUploads } from 'lookback/web';
import { local } from '../local-peer.js';

describe("an application's limits", () => {
  it('are set by its options, over a socket and without one; the message names the option', async () => {
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
      assert.match(await refused.text(), /limit of 10 bytes[\s\S]*limits\.body in the createApp\(\) options/);
    }
    await app.close();
  });

  it('for JSON, forms, uploads and header blocks are options too', async () => {
    const app = createApp({
      configuration: { env: 'test', debug: true, profilerStore: 'off' },
      logHandlers: [],
      limits: { body: 100, upload: 1000, jsonDepth: 2, formFields: 2, formDepth: 2, headerBytes: 1000 },
    });
    app.post('/json', async ({ request }) => request.json());
    app.post('/form', async ({ request }) => (await request.form()).toRecord());
    app.post('/unread', () => 'unread');
    app.post('/upload', async ({ request }) => {
      await receiveUploads(request, { to: async ({ stream }) => void (await buffer(stream)) });
      return 'received';
    });
    const { url } = await app.listen({ port: 0 });
    const json = async (body: string): Promise<number> =>
      (await fetch(`${url}/json`, { method: 'POST', body, headers: { 'Content-Type': 'application/json' } }))
        .status;
    const form = async (body: string): Promise<number> =>
      (await fetch(`${url}/form`, { method: 'POST', body: new URLSearchParams(body) })).status;
    try {
      assert.deepEqual([await json('[[1]]'), await json('[[[1]]]')], [200, 400]);
      assert.deepEqual([await form('a=1&b=2'), await form('a=1&b=2&c=3')], [200, 413]);
      const upload = async (text: string): Promise<number> => {
        const body = new FormData();
        body.set('file', new Blob([text]), 'a.txt');
        return (await fetch(`${url}/upload`, { method: 'POST', body })).status;
      };
      assert.deepEqual([await upload('short'), await upload('a'.repeat(2000))], [200, 413]);
      const declared = async (type: string): Promise<number> =>
        (
          await fetch(`${url}/unread`, {
            method: 'POST',
            body: 'a'.repeat(500),
            headers: { 'Content-Type': type },
          })
        ).status;
      for (const type of ['multipart/form-data; boundary=a', 'Multipart/Form-Data ;boundary=a'])
        assert.equal(await declared(type), 200, `${type} has the limit of uploads`);
      for (const type of [
        'x-multipart/form-data; boundary=a',
        'text/plain; a="multipart/form-data;"',
        'text/plain',
      ])
        assert.equal(await declared(type), 413, `${type} has the limit of bodies`);
      assert.deepEqual([await form('a[b]=1'), await form('a[b][c]=1')], [200, 413]);
      const blocks = [100, 2000].map((length) => fetch(url, { headers: { 'X-Long': 'a'.repeat(length) } }));
      assert.deepEqual(
        (await Promise.all(blocks)).map(({ status }) => status),
        [404, 431],
      );
    } finally {
      await app.close();
    }
  });
});
