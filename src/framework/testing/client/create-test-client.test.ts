import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp } from '#framework/app';
import type { App } from '#framework/app';
import { HttpResponse } from '#core/http';
import { createTestClient } from './create-test-client.js';

function openApp(options: Parameters<typeof createApp>[0] = {}): App {
  const app = createApp({
    configuration: { env: 'test', debug: true, profilerStore: 'off' },
    logHandlers: [],
    ...options,
  });
  app.any('/echo', async ({ request }) => ({
    method: request.method,
    url: `${request.origin}${request.source.target}`,
    headers: Object.fromEntries([...request.headers].map(([name, value]) => [name.toLowerCase(), value])),
    body: await request.text(),
    client: request.clientAddress,
  }));
  app.get('/login', () => HttpResponse.text('in').setCookie('id', '7'));
  return app;
}

interface Echo {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly client: string;
}

describe('a test client request', () => {
  it("has its call's method, from this machine", async () => {
    const client = createTestClient(openApp());
    const seen: string[] = [];
    for (const call of [client.get, client.post, client.put, client.patch, client.delete]) {
      const { method, client: address } = (await call('/echo')).json<Echo>();
      seen.push(`${method} ${address}`);
    }
    const { method, client: address } = (await client.request('PURGE', '/echo')).json<Echo>();
    seen.push(`${method} ${address}`);
    assert.deepEqual(
      seen,
      ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PURGE'].map((one) => `${one} 127.0.0.1`),
    );
  });

  it("has its query, its body and the client's fields, with its own taking precedence", async () => {
    const app = openApp({
      configuration: { env: 'test', profilerStore: 'off', trustedHosts: ['shop.example'] },
    });
    const client = createTestClient(app, {
      headers: { 'X-One': 'client', 'X-Two': 'client' },
      origin: 'https://shop.example',
    });
    const echo = async (request: Parameters<typeof client.post>[1]): Promise<Echo> =>
      (await client.post('/echo?z=0', request)).json<Echo>();
    const json = await echo({
      json: { a: [1] },
      query: { q: 'a b', n: 2, on: true },
      headers: { 'X-Two': 'own' },
    });
    assert.equal(json.url, 'https://shop.example/echo?z=0&q=a+b&n=2&on=true');
    assert.deepEqual([json.body, json.headers['content-type']], ['{"a":[1]}', 'application/json']);
    assert.deepEqual([json.headers['x-one'], json.headers['x-two']], ['client', 'own']);
    const own = await echo({ json: 1, headers: { 'Content-Type': 'application/x+json' } });
    assert.deepEqual([own.body, own.headers['content-type']], ['1', 'application/x+json']);
    const form = await echo({ form: { a: 'b c' } });
    assert.equal(form.body, 'a=b+c');
    assert.match(form.headers['content-type'] ?? '', /^application\/x-www-form-urlencoded/);
    assert.equal((await echo({ body: 'plain' })).body, 'plain');
    assert.equal((await echo({})).body, '');
  });

  it("has cookies and, for unsafe methods, a site page's origin", async () => {
    const client = createTestClient(openApp());
    const fieldsOf = async (method: string, headers = {}): Promise<(string | undefined)[]> => {
      const echo = (await client.request(method, '/echo', { headers })).json<Echo>();
      return [echo.headers['cookie'], echo.headers['origin']];
    };
    assert.deepEqual(
      await fieldsOf('POST'),
      [undefined, undefined],
      'without a cookie there is nothing to protect',
    );
    await client.get('/login');
    assert.deepEqual(await fieldsOf('GET'), ['id=7', undefined]);
    assert.deepEqual(await fieldsOf('POST'), ['id=7', 'http://localhost']);
    assert.deepEqual(await fieldsOf('POST', { Origin: 'http://other.example' }), [
      'id=7',
      'http://other.example',
    ]);
    assert.deepEqual(await fieldsOf('POST', { 'Sec-Fetch-Site': 'none' }), ['id=7', undefined]);
    assert.deepEqual(await fieldsOf('GET', { Cookie: 'id=8' }), ['id=8', undefined]);
    assert.deepEqual(await fieldsOf('GET'), ['id=7', undefined]);
    assert.equal(client.cookies.get('id'), '7');
  });

  it('is refused in production', () => {
    const app = createApp({ configuration: { env: 'prod', profilerStore: 'off' }, logHandlers: [] });
    assert.throws(() => createTestClient(app), { code: 'TESTING_IN_PRODUCTION' });
  });
});

describe('an expectation', () => {
  const textOf = async (work: PromiseLike<unknown>): Promise<string> => {
    const error = await Promise.resolve(work).then(
      () => assert.fail('was met'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof Error);
    return error.message;
  };

  it('reports the actual and the expected value', async () => {
    const client = createTestClient(openApp());
    await client
      .get('/login')
      .expectStatus(200)
      .expectHeader('content-type', /^text/)
      .expectHeader('Content-Type', 'text/plain; charset=utf-8');
    assert.match(await textOf(client.get('/login').expectStatus(404)), /^Status 200, expected 404\n/);
    const header = async (value: string | RegExp, name = 'x-debug'): Promise<string> =>
      (await textOf(client.get('/login').expectHeader(name, value))).split('\n', 1).join();
    assert.equal(await header('1'), 'x-debug: (absent), expected 1');
    assert.equal(await header(/^1$/), 'x-debug: (absent), expected to match /^1$/');
    assert.match(
      await header('text/html', 'content-type'),
      /^content-type: text\/plain.*, expected text\/html$/,
    );
    await client.get('/echo').expect(({ bytes, text }) => assert.equal(bytes.byteLength, text.length));
    assert.match(await textOf(client.get('/login').expectJson({})), /JSON/);
  });

  it('of JSON compares the whole value', async () => {
    const app = openApp();
    app.get('/json', () => ({ a: [1, { b: null }] }));
    const client = createTestClient(app);
    await client.get('/json').expectJson({ a: [1, { b: null }] });
    await textOf(client.get('/json').expectJson({ a: [1] }));
    await textOf(client.get('/json').expectJson({ a: ['1', { b: null }] }));
  });

  it("of a route's budget fails if the record exceeds it, or if there is no record", async () => {
    const app = openApp({
      configuration: { env: 'test', debug: true, profilerStore: 'memory:' },
      profiler: { budgets: { slow: { durationMs: 0.000_001 }, fast: { durationMs: 60_000 } } },
    });
    app.get('/slow', () => 'x', { name: 'slow' });
    app.get('/fast', () => 'x', { name: 'fast' });
    const client = createTestClient(app);
    await client.get('/fast').expectWithinBudget();
    assert.match(await textOf(client.get('/slow').expectWithinBudget()), /Over budget/);
    assert.match(
      await textOf(createTestClient(openApp()).get('/login').expectWithinBudget()),
      /^Nothing was recorded/,
    );
    await app.close();
  });

  it('that fails ends with the record, truncated if long; its stack keeps the calls', async () => {
    const app = openApp({ configuration: { env: 'test', debug: true, profilerStore: 'memory:' } });
    app.get('/talks', ({ log }) => {
      for (let line = 0; line < 200; line++) log.info(`line ${line} ${'x'.repeat(200)}`);
      return 'x';
    });
    const client = createTestClient(app);
    const long = await textOf(client.get('/talks').expectStatus(404));
    assert.match(long, /^Status 200, expected 404\n\n#? ?\S/);
    assert.match(long, /\n… \(\d+ more lines: await response\.describe\(\)\)\n$/);
    assert.ok(long.split('\n').length <= 35, long);
    assert.match((await (await client.get('/talks')).describe()) ?? '', /\n… \(\d+ more characters\)$/);
    const short = await textOf(client.get('/login').expectStatus(404));
    assert.doesNotMatch(short, /more (?:characters|lines)/);
    const error: unknown = await Promise.resolve(client.get('/login').expectStatus(404)).catch(
      (thrown: unknown) => thrown,
    );
    assert.match(Reflect.get(Object(error), 'stack') as string, /Status 200, expected 404\n\n[^]*\n +at /); // the stack is text
    const thrown: unknown = await Promise.resolve(
      client.get('/login').expect(() => {
        throw 'a text'; // oxlint-disable-line no-throw-literal -- as a library may do
      }),
    ).catch((value: unknown) => value);
    assert.equal(thrown, 'a text');
    await app.close();
  });

  it("finds its request's record, and none if there is none", async () => {
    const app = openApp({ configuration: { env: 'test', debug: true, profilerStore: 'memory:' } });
    const response = await createTestClient(app).get('/login');
    assert.equal((await response.record())?.request.path, '/login');
    assert.match((await response.describe()) ?? '', /\/login/);
    const other = await createTestClient(openApp()).get('/login');
    assert.deepEqual([await other.record(), await other.describe()], [undefined, undefined]);
    await app.close();
  });
});
