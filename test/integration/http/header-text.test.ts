import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type App, createApp, HttpResponse } from 'lookback';
import { until } from '../../until.js';
import type { Answer, Transport } from './transports.js';
import { ask, field, openTransport, tlsFiles, transportNames } from './transports.js';

/** The UTF-8 bytes of the text, one character each, as HTTP libraries represent header values. */
const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

for (const name of transportNames)
  describe(`header values in UTF-8, over ${name}`, () => {
    let app: App;
    let transport: Transport;
    before(async () => {
      const tls = name === 'TLS' || name === 'HTTP/2' ? { tls: tlsFiles } : {};
      app = createApp({
        configuration: { env: 'test', debug: true, profilerStore: 'memory:', ...tls },
        logHandlers: [],
      });
      app.get('/answers', ({ request }) => {
        const response = HttpResponse.text(request.headers.get('x-name') ?? '');
        response.headers.set('X-Town', utf8('Zürich 日本'));
        return response;
      });
      transport = await openTransport(name, app);
    });
    after(async () => {
      await transport.close();
      await app.close();
    });

    async function get(path: string, headers: Record<string, string>): Promise<[Answer, string]> {
      const answer = await ask(transport, { path, headers: { accept: 'text/html', ...headers } });
      const token = field(answer, 'x-debug-token') ?? '';
      await until(async () => (await app.profiler?.find(token))?.kind === 'found');
      return [answer, token];
    }

    it('R3: are text in the message, its title, its page and its record; X-Debug-Exception stays ASCII', async () => {
      const referer = 'http://localhost/é😀';
      const [answer, token] = await get('/x', { referer: utf8(referer), 'x-name': utf8('Zoë') });
      const message = `No route found for "GET ${transport.origin}/x" (from "${referer}")`;
      const exception = field(answer, 'x-debug-exception') ?? '';
      assert.match(exception, /^[\x21-\x7e]+$/);
      assert.equal(decodeURIComponent(exception), message);
      const title = /<title>([^<]*)<\/title>/.exec(answer.body)?.[1] ?? '';
      assert.ok(title.includes('é😀'), title);
      assert.match(answer.body, /<dd>Zoë<\/dd>/);
      assert.ok(!answer.body.includes(utf8('é')) && !answer.body.includes(utf8('ë')));
      const found = await app.profiler?.find(token);
      assert.ok(found?.kind === 'found');
      const { record } = found;
      assert.equal(record.exception?.message, message);
      assert.ok(!JSON.stringify(record.logs).includes('"fix"'), 'properties without a value are omitted');
      const fields = new Map(record.request.headers.map(([key, value]) => [key.toLowerCase(), value]));
      assert.deepEqual([fields.get('referer'), fields.get('x-name')], [referer, 'Zoë']);
      const [json] = await get('/x', { referer: utf8(referer), accept: 'application/json' });
      assert.equal((JSON.parse(json.body) as { detail: string }).detail, message);
    });

    it('are text in recorded responses too; the application gets them as before, and curl sends the same bytes', async () => {
      const [answer, token] = await get('/answers', { 'x-name': utf8('Zoë') });
      assert.ok(answer.body.startsWith(utf8('Zoë')), 'unchanged from Node');
      const found = await app.profiler?.find(token);
      assert.ok(found?.kind === 'found');
      const { response } = found.record;
      assert.equal(response?.headers.find(([key]) => key.toLowerCase() === 'x-town')?.[1], 'Zürich 日本');
      const curl = await ask(transport, { path: `/_profiler/${token}.curl` });
      assert.match(curl.body, /x-name: Zoë/i);
    });

    it('that are not valid UTF-8 stay Latin-1', async () => {
      const [, token] = await get('/x', { 'x-name': 'Zo\u00eb \u00c3' });
      const found = await app.profiler?.find(token);
      assert.ok(found?.kind === 'found');
      assert.equal(
        found.record.request.headers.find(([key]) => key.toLowerCase() === 'x-name')?.[1],
        'Zo\u00eb \u00c3',
      );
    });
  });
