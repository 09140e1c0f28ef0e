import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type App, createApp, exceptionEvent, HttpResponse, isErrorPreview, isHttpError } from 'lookback';
import { createMemoryUserProvider, createSecurity, formLogin } from 'lookback/security';
import { ask, field, openTransport, tlsFiles, transportNames } from './http/transports.js';

const local = { peer: { address: '127.0.0.1' } } as const;

function openApp(configuration: object): App {
  return createApp({
    configuration: { env: 'test', debug: true, profilerStore: 'memory:', ...configuration },
    logHandlers: [],
  });
}

/** The body of the real page, in production. */
async function inProduction(path: string, accept: string): Promise<string> {
  const app = openApp({ debug: false, profilerStore: 'off' });
  app.get('/fails', () => {
    throw new Error('secret');
  });
  const body = await (await app.fetch(path, { headers: { accept }, ...local })).text();
  await app.close();
  return body;
}

describe('the preview of production error pages', () => {
  for (const name of transportNames)
    it(`is the page that clients get in production, in HTML, JSON and text, over ${name}`, async () => {
      const app = openApp({
        toolbar: false,
        ...(name === 'TLS' || name === 'HTTP/2' ? { tls: tlsFiles } : {}),
      });
      const transport = await openTransport(name, app);
      for (const [status, path] of [
        [404, '/none'],
        [500, '/fails'],
      ] as const)
        for (const [accept, ending, type] of [
          ['text/html', '.html', /^text\/html/],
          ['application/json', '.json', /^application\/problem\+json/],
          ['text/plain', '.txt', /^text\/plain/],
        ] as const) {
          const expected = await inProduction(path, accept);
          for (const asked of [
            { path: `/_error/${status}`, headers: { accept } },
            { path: `/_error/${status}${ending}`, headers: { accept: 'text/html' } },
          ]) {
            const answer = await ask(transport, asked);
            assert.equal(answer.status, status, asked.path);
            assert.match(field(answer, 'content-type') ?? '', type);
            assert.equal(answer.body, expected, asked.path);
            assert.equal(field(answer, 'x-debug-exception'), undefined);
          }
        }
      for (const status of [400, 401, 403, 405, 410, 418, 422, 429, 499, 503, 599])
        assert.equal((await ask(transport, { path: `/_error/${status}` })).status, status);
      for (const status of ['200', '302', '600', 'abc', '4040'])
        assert.equal((await ask(transport, { path: `/_error/${status}` })).status, 404);
      await transport.close();
      await app.close();
    });

  it("shows an application's own error page, even one that leaves errors to the debug page in debug mode", async () => {
    const app = openApp({ profilerStore: 'off' });
    app.on(exceptionEvent, (event) => {
      if (app.configuration.debug && !isErrorPreview(event.request)) return;
      const status = isHttpError(event.error) ? event.error.status : 500;
      event.response = HttpResponse.html(`<h1>ours: ${status}</h1>`, { status });
    });
    for (const status of [404, 500]) {
      const answer = await app.fetch(`/_error/${status}`, { headers: { accept: 'text/html' }, ...local });
      assert.deepEqual([answer.status, await answer.text()], [status, `<h1>ours: ${status}</h1>`]);
    }
    const debug = await app.fetch('/none', { headers: { accept: 'text/html' }, ...local });
    assert.match(await debug.text(), /No route found/);
    await app.close();
  });

  it('is open in an application that protects everything, and closed outside debug and to other clients', async () => {
    const security = createSecurity({
      provider: createMemoryUserProvider([]),
      firewalls: [{ name: 'main', authenticators: [formLogin()] }],
      accessControl: [{ path: '/', allow: 'ROLE_USER' }],
    });
    const app = createApp({
      security,
      configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
      logHandlers: [],
    });
    assert.equal((await app.fetch('/_error/503', local)).status, 503);
    await app.close();
    const open = openApp({});
    const foreign = { peer: { address: '203.0.113.9' } };
    assert.equal((await open.fetch('/_error/503', foreign)).status, 404);
    assert.equal((await open.fetch('/_error/503', { method: 'PUT', ...foreign })).status, 404);
    await open.close();
    const production = openApp({ debug: false });
    assert.equal((await production.fetch('/_error/503', local)).status, 404);
    await production.close();
  });
});
