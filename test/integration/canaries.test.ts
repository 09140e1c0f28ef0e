import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createApp } from '#framework';
import type { App } from '#framework';
import { createLogger, createStreamLogHandler } from '#log';
import { local } from '../local-peer.js';

/** A secret that stands in one place of one request, and that place. */
interface Planted {
  readonly canary: string;
  readonly place: string;
}

const planted: Planted[] = [];
/** The next secret: digits and both cases, as made by a generator. */
function plant(place: string, start = 'cAn4Zz9xQ7'): string {
  const canary = `${start}${String(planted.length).padStart(3, '0')}`;
  planted.push({ canary, place });
  return canary;
}

const names = (
  'password passwd pwd pass passphrase passcode password1 password2 new_password new_password1 password_confirmation passwordHash ' +
  'secret client_secret clientSecret token token2 access_token accessToken refresh_token id_token csrf_token _csrf api_key apiKey apiKey2 ' +
  'api-key X-Api-Key secret_key private_key encryption_key auth authorization credentials signature session sessionid PHPSESSID ' +
  'jwt otp totp pin mfa one_time_code verification_code recovery_code backup_code device_code ticket SAMLResponse client_assertion ' +
  'iban cc_number creditcard card_number cvc cvc2 cvv ssn connection_string dsn mdp kennwort passwort user[password] user.password'
).split(' ');
const headers =
  'Authorization Proxy-Authorization Cookie X-Api-Key X-Auth-Token X-Csrf-Token X-Xsrf-Token X-Access-Token X-Amz-Security-Token X-Session-Id X-Secret'.split(
    ' ',
  );

type Send = { path: string; init: RequestInit };

function inHeaders(): Send[] {
  const more: [string, string][] = [
    ['Authorization', `Basic ${Buffer.from(`a:${'x'.repeat(4)}`).toString('base64')}${plant('Basic')}`],
    ['Authorization', `Token ${plant('Token')}`],
    ['Cookie', `sid=${plant('cookie')}; theme=${plant('a second cookie')}`],
    ['Cookie', plant('cookie without a name')],
    ['Referer', `http://localhost/?token=${plant('Referer query')}`],
    ['Referer', `http://ada:${plant('Referer user')}@localhost/`],
    ['Sec-WebSocket-Protocol', `bearer, ${plant('WebSocket protocol')}`],
    ['X-Note', `password=${plant('text in a header')}`],
    ['User-Token', plant('User-Token')],
  ];
  return [...headers.map((name): [string, string] => [name, `Bearer ${plant(name)}`]), ...more].map(
    ([name, value]) => ({ path: '/echo', init: { headers: { [name]: value } } }),
  );
}

function inUrls(): Send[] {
  const jwt = (place: string): string => `eyJhbGciOiJIUzI1NiJ9.e30.${plant(place)}`;
  const paths = [
    ...names.map((name) => `/echo?a=1&${encodeURIComponent(name)}=${plant(`query ${name}`)}`),
    `/echo?next=${encodeURIComponent(`/x?token=${plant('query in a query')}`)}`,
    `/echo?a=1&${jwt('bare part of a query')}`,
    `/echo?code=${plant('authorization code')}&state=1`,
    `/echo/${jwt('token in a path')}`,
    `/echo/sk_live_${plant('Stripe key in a path')}`,
    `/reset/${plant('route parameter')}`,
    `/reset/a%20${plant('route parameter with an escape')}`,
    `/reset/${plant('route parameter of a request that fails')}?fail=1`,
    `/missing?token=${plant('query of a miss')}`,
  ];
  return paths.map((path) => ({ path, init: {} }));
}

function inBodies(): Send[] {
  const post = (type: string, body: string | Uint8Array<ArrayBuffer>): Send => ({
    path: '/echo',
    init: { method: 'POST', headers: { 'content-type': type }, body },
  });
  const part = (disposition: string, value: string): Send =>
    post(
      'multipart/form-data; boundary=b',
      `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n--b\r\nContent-Disposition: form-data; name="z"\r\n\r\nlast\r\n--b--\r\n`,
    );
  const json = (place: string): string => JSON.stringify({ a: [{ password: plant(place) }] });
  return [
    ...names.flatMap((name) => [
      post('application/x-www-form-urlencoded', `a=1&${encodeURIComponent(name)}=${plant(`form ${name}`)}`),
      post('application/json', JSON.stringify({ a: { [name]: plant(`JSON ${name}`) } })),
      part(`name="${name}"`, plant(`multipart ${name}`)),
    ]),
    post('application/json; charset=utf-16le', Uint8Array.from(Buffer.from(json('UTF-16'), 'utf16le'))),
    post('application/json', Uint8Array.from(Buffer.from(json('UTF-16 that is not named'), 'utf16le'))),
    post('application/vnd.api+json', json('+json')),
    post('text/plain', json('JSON of another type')),
    post('text/plain', `token: ${plant('text')}`),
    post('application/json', JSON.stringify({ in: json('JSON in JSON') })),
    post('application/json', `{"token":"${plant('JSON that is cut off')}`),
    post('application/xml', `<a><password>${plant('XML')}</password></a>`),
    post('application/xml', `<a><password><![CDATA[${plant('CDATA')}]]></password></a>`),
    post(
      'application/xml',
      `<a><credentials><user>x</user><key>${plant('XML below')}</key></credentials></a>`,
    ),
    ...[
      'NAME="password"',
      'name = "password"',
      "name*=utf-8''password",
      'name="p%61ssword"',
      'name="a\\"password"',
    ].map((disposition) => part(disposition, plant(`multipart ${disposition}`))),
    part('name="password"\r\nX-Long: '.concat('x'.repeat(2000)), plant('multipart with a long line')),
    part(`name="password"${'\r\nX-A: b'.repeat(15)}`, plant('multipart with many lines')),
    part('name="password"', `a\r\n--${plant('multipart value with dashes')}`),
  ];
}

function inErrorsAndLogs(): Send[] {
  const texts = [
    `password=${plant('message')}`,
    `postgres://u:${plant('URL in a message')}@h/db`,
    `Bearer ${plant('Bearer in a message')}`,
    `Invalid password '${plant('a password that is spoken of')}'`,
    `sent {"client_secret":"${plant('JSON in a message')}"}`,
    `curl -u a:${plant('curl')} http://h/`,
    `ghp_${plant('GitHub')}abcdef`,
    `AKIA${plant('AWS', 'CAN4ZZ9XQ7')}`,
    `insert into "t" ("password_hash") values ('${plant('SQL')}') - UNIQUE constraint failed`,
    `Key (token)=(${plant('key of PostgreSQL')}) already exists.`,
  ];
  return texts.flatMap((text) => [
    { path: '/throw', init: { method: 'POST', body: text } },
    { path: '/log', init: { method: 'POST', body: text } },
  ]);
}

describe('secrets planted in every place of a request', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-canaries-'));
  const lines: string[] = [];
  const seen: { place: string; text: string }[] = [];
  let app: App;

  before(async () => {
    const handler = createStreamLogHandler({ write: (line) => lines.push(line) }, { minLevel: 'debug' });
    app = createApp({
      configuration: { debug: true, profilerStore: `sqlite:${join(folder, 'records.db')}` },
      logHandlers: [handler],
    });
    const log = createLogger({ handlers: [handler] });
    app.any('/echo', async ({ request }) => {
      await request.bytes();
      return 'ok';
    });
    app.get('/echo/{id}', () => 'ok');
    app.get('/reset/{token}', ({ request }) => {
      if (request.query.has('fail')) throw new Error('failed');
      return 'ok';
    });
    app.post('/throw', async ({ request }) => {
      const text = await request.text();
      throw Object.assign(new Error(text, { cause: new TypeError(text) }), {
        detail: text,
        sql: text,
        params: [text],
      });
    });
    app.post('/log', async ({ request }) => {
      const text = await request.text();
      log.channel(text).warning(text, { text, error: new Error(text) });
      app.log.error(text, { text, nested: [{ text }] });
      return 'ok';
    });
    app.get('/form', () => {
      const html = `<!doctype html><form><input type="hidden" name="_csrf" value="${plant('hidden field')}"><input type=password value='${plant('password field')}'><meta name="csrf-token" content="${plant('meta')}"></form>`;
      return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } });
    });
    const sends = [
      ...inHeaders(),
      ...inUrls(),
      ...inBodies(),
      ...inErrorsAndLogs(),
      { path: '/form', init: {} },
    ];
    for (const [count, { path, init }] of sends.entries()) {
      const response = await app.fetch(`http://localhost${path}`, { ...init, ...local });
      await response.arrayBuffer();
      const token = response.headers.get('x-debug-token') ?? '';
      assert.notEqual(token, '', path);
      seen.push({ place: `${path} record`, text: JSON.stringify(await app.profiler?.find(token)) });
      // The page shows what JSON and Markdown do; it is requested where it costs little time.
      for (const page of [`${token}.json`, `${token}.md`, ...(count % 8 === 0 ? [token] : [])]) {
        const shown = await app.fetch(`http://localhost/_profiler/${page}`, local);
        seen.push({ place: `${path} ${page}`, text: await shown.text() });
      }
    }
    seen.push({ place: 'list', text: await (await app.fetch('http://localhost/_profiler/', local)).text() });
    await app.close();
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('stand in no record, no page, no JSON and no Markdown', () => {
    assert.ok(planted.length > 228 && seen.length > planted.length * 2);
    const found = planted.filter(({ canary }) => seen.some(({ text }) => text.includes(canary)));
    assert.deepEqual(found, []);
  });

  it('stand not in base64 either, nor in what the log wrote', () => {
    const decoded = seen.flatMap(({ text }) =>
      [...text.matchAll(/[A-Za-z0-9+/]{40,}={0,2}/g)].map(([run]) => Buffer.from(run, 'base64')),
    );
    const found = planted.filter(
      ({ canary }) =>
        decoded.some((bytes) => bytes.includes(canary) || bytes.includes(Buffer.from(canary, 'utf16le'))) ||
        lines.some((line) => line.includes(canary)),
    );
    assert.deepEqual(found, []);
    assert.ok(lines.length > 20);
  });

  it('stand in no byte of the store', () => {
    const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
    assert.ok(bytes.some((one) => one.length > 10_000));
    assert.deepEqual(
      planted.filter(({ canary }) => bytes.some((one) => one.includes(canary))),
      [],
    );
  });
});
