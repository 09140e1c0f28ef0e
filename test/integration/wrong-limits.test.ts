import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp, HttpRequest } from 'lookback';
import {
  createLoginLinks,
  createLoginThrottle,
  createMemoryExpiringStore,
  createSecurity,
  createSignedCookies,
} from 'lookback/security';
import { compression, cors, health, rateLimit, receiveUploads, webSocket } from 'lookback/web';

// A limit that is not a number compares false with everything and limits nothing. Such values are refused when they are passed;
// `undefined`, the value of a missing environment variable, means the default.

const wrong: readonly unknown[] = [Number.NaN, '1mb', '10', null, {}, [], true, -5];

type Make = (options: Readonly<Record<string, unknown>>) => unknown;

const serverLimits = (
  'body upload target jsonDepth formFields formDepth files headerBytes headerTimeout requestTimeout keepAliveTimeout writeTimeout ' +
  'maxConnections'
).split(' ');

const secret = 'x'.repeat(40);
const makers: readonly (readonly [name: string, options: readonly string[], make: Make])[] = [
  ['createApp: limits', serverLimits, (limits) => createApp({ limits, logHandlers: [] })],
  [
    'webSocket',
    ['maxMessageBytes', 'maxConnections', 'maxQueued', 'maxBufferedBytes', 'idleSeconds'],
    (options) => webSocket(() => undefined, options),
  ],
  ['cors', ['maxAge'], (options) => cors(options)],
  ['compression', ['threshold'], (options) => compression(options)],
  ['health', ['timeout', 'freshFor'], (options) => health(options)],
  ['rateLimit', ['limit', 'window'], (options) => rateLimit({ limit: 5, window: 60, ...options })],
  [
    'createSecurity: sessions',
    [
      'idleSeconds',
      'absoluteSeconds',
      'lockMilliseconds',
      'lockWaitMilliseconds',
      'storeTimeoutMilliseconds',
    ],
    (sessions) => createSecurity({ secret, sessions }),
  ],
  [
    'createLoginThrottle',
    ['perUser', 'perAddress', 'perAccount', 'interval'],
    (options) => createLoginThrottle(options),
  ],
  ['createMemoryExpiringStore', ['limit'], (options) => createMemoryExpiringStore(options)],
  ['createSignedCookies', ['lifetimeSeconds'], (options) => createSignedCookies({ secret, ...options })],
  [
    'createLoginLinks',
    ['lifetimeSeconds', 'maxUses'],
    (options) => createLoginLinks({ secret, origin: 'https://a.test', ...options }),
  ],
];

describe('a limit', () => {
  for (const [name, options, make] of makers)
    it(`of ${name} is a number, or refused when it is passed; undefined means the default`, () => {
      for (const option of options) {
        for (const value of wrong)
          assert.throws(
            () => make({ [option]: value }),
            (error: Error & { code?: string; fix?: string }) =>
              error.code === 'OPTIONS_BAD_VALUE' &&
              error.message.includes(option) &&
              (error.fix ?? '').startsWith('It takes '),
            `${option}: ${String(value)}`,
          );
        if (!(name === 'rateLimit')) make({ [option]: undefined });
      }
    });

  it('for times and header bytes must be a whole number, as Node requires when it listens', async () => {
    const names = ['headerTimeout', 'requestTimeout', 'keepAliveTimeout', 'writeTimeout', 'headerBytes'];
    for (const name of names)
      for (const value of [1.5, Infinity, 1e21])
        assert.throws(() => createApp({ limits: { [name]: value }, logHandlers: [] }), {
          code: 'OPTIONS_BAD_VALUE',
        });
  });

  it('of receiveUploads is a number, or refused', async () => {
    const request = new HttpRequest({
      method: 'POST',
      target: '/',
      rawHeaders: ['Host', 'a.test', 'Content-Type', 'multipart/form-data; boundary=x'],
      httpVersion: '1.1',
      peer: { address: '127.0.0.1', port: 1, encrypted: false },
    });
    for (const option of ['maxFileBytes', 'maxFiles'])
      for (const value of wrong)
        await assert.rejects(
          async () => receiveUploads(request, { to: () => undefined, [option]: value }),
          (error: Error & { code?: string }) => error.code === 'OPTIONS_BAD_VALUE',
          `${option}: ${String(value)}`,
        );
  });

  it('that is undefined has its default value', async () => {
    const app = createApp({
      logHandlers: [],
      configuration: { env: 'test', profilerStore: 'off' },
      limits: { body: undefined, jsonDepth: undefined, formFields: undefined, target: undefined } as object,
    });
    app.post('/json', async ({ request }) => (await request.json()) !== undefined);
    app.post('/form', async ({ request }) => (await request.form()).entries.length);
    const { url } = await app.listen({ port: 0 });
    const json = (body: string): Promise<Response> =>
      fetch(`${url}/json`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    const fields = new URLSearchParams(Array.from({ length: 3000 }, (_, at) => [`a${at}`, '1']));
    assert.equal((await json(JSON.stringify('x'.repeat(3_000_000)))).status, 413);
    assert.equal((await json('['.repeat(500) + ']'.repeat(500))).status, 400);
    assert.equal((await fetch(`${url}/form`, { method: 'POST', body: fields })).status, 413);
    assert.equal((await fetch(`${url}/?${'x'.repeat(9000)}`)).status, 414);
    await app.close();
  });
});
