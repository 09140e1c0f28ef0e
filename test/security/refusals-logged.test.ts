import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import {
  type App,
  type AppOptions,
  createApp,
  exceptionEvent,
  HttpError,
  HttpResponse,
  isHttpError,
  NotFoundError,
} from 'lookback';
import { createMemoryUserProvider, createSecurity, formLogin } from 'lookback/security';
import {
  ask,
  openTransport,
  type Transport,
  transportNames,
  tlsFiles,
} from '../integration/http/transports.js';
import { admin, cheapHasher, reader, secret } from './guarded-app.js';

type OwnPage = (error: unknown) => HttpResponse | undefined;

const ownPages: Readonly<Record<string, OwnPage | undefined>> = {
  'the built-in page': undefined,
  'a custom page with the status': (error) =>
    HttpResponse.html('<!doctype html><title>That did not work</title>', {
      status: isHttpError(error) ? error.status : 500,
    }),
  'a custom page with a different status': () => HttpResponse.text('Sorry', { status: 400 }),
  'a custom page with 200': () => HttpResponse.text('Sorry'),
};

function createSite(
  page: OwnPage | undefined,
  tls?: NonNullable<AppOptions['configuration']>['tls'],
): { app: App; lines: string[] } {
  const lines: string[] = [];
  const security = createSecurity({
    secret,
    provider: createMemoryUserProvider([reader, admin]),
    hashers: [cheapHasher],
    firewalls: [{ name: 'main', authenticators: [formLogin()], logout: true }],
    accessControl: [{ path: '/admin', allow: 'ROLE_ADMIN' }],
  });
  const app = createApp({
    configuration: { env: 'prod', debug: false, profilerStore: 'off', ...(tls === undefined ? {} : { tls }) },
    logHandlers: [{ handle: ({ level, message }) => void lines.push(`${level} ${message}`) }],
    security,
  });
  app.post('/keys', () => 'made');
  app.get('/teapot', () => {
    throw new HttpError(418, 'No coffee.');
  });
  app.get('/gone', () => {
    throw new NotFoundError('No such key.');
  });
  app.get('/domain', () => {
    throw new RangeError('answered by the application');
  });
  app.get('/admin', () => 'the books');
  if (page !== undefined) app.on(exceptionEvent, (event) => void (event.response = page(event.error)));
  return { app, lines };
}

const html = { accept: 'text/html' };

for (const [name, page] of Object.entries(ownPages))
  for (const over of transportNames)
    describe(`refusals in production, answered by ${name} (${over})`, () => {
      it('leave one line each: a forged form, a controller error, an unmatched path, a wrong method', async () => {
        const { app, lines } = createSite(page, over === 'TLS' || over === 'HTTP/2' ? tlsFiles : undefined);
        const transport: Transport = await openTransport(over, app);
        after(async () => {
          await transport.close();
          await app.close();
        });
        const statuses: number[] = [];
        const send = async (
          path: string,
          method: string,
          headers: Record<string, string>,
        ): Promise<string[]> => {
          lines.length = 0;
          statuses.push((await ask(transport, { path, method, headers })).status);
          return lines.filter((line) => !line.startsWith('info') && !line.startsWith('debug'));
        };
        for (const [path, method, headers, line] of [
          [
            '/keys',
            'POST',
            { origin: 'https://evil.example' },
            /^notice .*foreign origin.*\(POST \/keys \d+\)$/,
          ],
          ['/keys', 'POST', { 'sec-fetch-site': 'cross-site' }, /^notice .*\(POST \/keys \d+\)$/],
          ['/logout', 'POST', { 'sec-fetch-site': 'cross-site' }, /^notice .*\(POST \/logout \d+\)$/],
          ['/teapot', 'GET', {}, /^notice .*No coffee.* \d+\)$/],
          ['/gone', 'GET', {}, /^notice .*No such key.* \d+\)$/],
          ['/missing', 'GET', {}, /^notice .*No route found.* \d+\)$/],
          ['/teapot', 'DELETE', {}, /^notice .* \d+\)$/],
          ['/admin', 'GET', { accept: 'application/json' }, /^notice .* \d+\)$/],
        ] as const) {
          const found = await send(path, method, { ...html, ...headers });
          assert.equal(found.length, 1, `${method} ${path}: ${found.join('\n')}`);
          assert.match(found[0] ?? '', line);
          const sent = Number(/(\d+)\)$/.exec(found[0] ?? '')?.[1]);
          assert.equal(sent, statuses.at(-1), 'the line names the status that was sent');
        }
      });
    });

describe('refusals in production', () => {
  it('leave a line for a cross-site login, even though the response is a redirect, and none for wrong passwords', async () => {
    const { app, lines } = createSite(undefined);
    const notices = (): string[] => lines.filter((line) => !/^(?:info|debug)/.test(line));
    const post = async (headers: Record<string, string>): Promise<Response> => {
      lines.length = 0;
      const body = new URLSearchParams({ _username: 'reader', _password: 'wrong' });
      return app.fetch(
        new Request('http://clinic.test/login', { method: 'POST', body, headers: { ...html, ...headers } }),
      );
    };
    await post({ origin: 'https://clinic.test' });
    assert.equal(notices().length, 1, lines.join('\n'));
    assert.match(
      notices()[0] ?? '',
      /^warning The login was refused: .*does a proxy terminate TLS\?.*\(POST \/login \d+\)$/,
    );
    await post({ origin: 'https://clinic.test' });
    assert.match(notices()[0] ?? '', /^notice /, 'one warning a minute, since any client can cause it');
    await post({ origin: 'http://clinic.test' });
    assert.deepEqual(notices(), []);
    await app.close();
  });

  it('are a warning if a form came from the same host over https, as behind a proxy that is not trusted', async () => {
    const { app, lines } = createSite(undefined);
    const send = (origin: string): Promise<Response> =>
      app.fetch(new Request('http://clinic.test/keys', { method: 'POST', headers: { ...html, origin } }));
    assert.equal((await send('https://evil.test')).status, 403);
    assert.match(lines.join('\n'), /^notice .*foreign origin/m);
    assert.doesNotMatch(lines.join('\n'), /^warning/m);
    assert.equal((await send('https://clinic.test')).status, 403);
    assert.match(lines.join('\n'), /^warning .*X-Forwarded-Proto.*\(POST \/keys 403\)$/m);
    await app.close();
  });

  it('leave no line for a visitor who is sent to the login, or for an error that the application answered', async () => {
    const { app, lines } = createSite((error) =>
      error instanceof RangeError ? HttpResponse.text('Not that far.', { status: 422 }) : undefined,
    );
    assert.equal((await app.fetch('/admin', { headers: html })).status, 302);
    assert.equal((await app.fetch('/domain', { headers: html })).status, 422);
    assert.deepEqual(
      lines.filter((line) => !/^(?:info|debug)/.test(line)),
      [],
    );
    await app.close();
  });
});
