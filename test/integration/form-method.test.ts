import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type App, createApp, Delete, HttpResponse, Patch, type AppOptions } from 'lookback';
import { createMemoryUserProvider, createSecurity } from 'lookback/security';
import { receiveUploads } from 'lookback/web';

const base = { env: 'test', debug: true, profilerStore: 'memory:', host: '127.0.0.1', port: 0 } as const;

interface Form {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly type?: 'urlencoded' | 'multipart';
}

/** Posts a form with the field `_method`, from a same-origin page unless the headers say otherwise. */
async function post(
  app: App,
  path: string,
  { method, headers = {}, type = 'urlencoded' }: Form,
): Promise<Response> {
  const fields: [string, string][] = [
    ['title', 'Tea'],
    ...(method === undefined ? [] : [['_method', method] as [string, string]]),
  ];
  const body = new FormData();
  for (const [name, value] of fields) body.append(name, value);
  return app.fetch(path, {
    method: 'POST',
    headers: { 'Sec-Fetch-Site': 'same-origin', Accept: 'application/json', ...headers },
    body: type === 'multipart' ? body : new URLSearchParams(fields),
    peer: { address: '127.0.0.1' },
  });
}

const textOf = async (response: Promise<Response>): Promise<string> => {
  const { status } = await response;
  return `${status} ${status === 200 ? await (await response).text() : ''}`.trim();
};

function createBooks(options: AppOptions = {}): App {
  const app = createApp({ configuration: base, logHandlers: [], ...options });
  app.get('/books/{id}', ({ params }) => `show ${params.id}`);
  app.put(
    '/books/{id}',
    async ({ request, params }) => `${request.method} ${params.id} ${(await request.form()).get('title')}`,
    { formMethod: true },
  );
  app.delete('/books/{id}', ({ params }) => `delete ${params.id}`);
  app.post('/shelves', () => 'create');
  app.delete('/shelves', () => 'clear', { formMethod: true });
  return app;
}

describe("a form's _method field", () => {
  let app: App;
  before(() => {
    app = createBooks();
  });
  after(() => app.close());

  it('selects routes that allow it, also over a socket, for both kinds of forms', async () => {
    for (const type of ['urlencoded', 'multipart'] as const)
      for (const method of ['PUT', 'put'])
        assert.equal(await textOf(post(app, '/books/7', { method, type })), '200 PUT 7 Tea');
    const { url } = await app.listen();
    const overSocket = fetch(`${url}/books/7`, {
      method: 'POST',
      body: new URLSearchParams({ _method: 'PUT', title: 'Tea' }),
      headers: { Origin: url },
    });
    assert.equal(await textOf(overSocket), '200 PUT 7 Tea');
  });

  it('takes precedence over a POST route', async () => {
    assert.equal(await textOf(post(app, '/shelves', { method: 'DELETE' })), '200 clear');
    assert.equal(await textOf(post(app, '/shelves', {})), '200 create');
  });

  it('has no effect where it is off, for other methods, in the query, and in other bodies', async () => {
    assert.equal(await textOf(post(app, '/books/7', { method: 'DELETE' })), '405');
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'CONNECT', 'PURGE', '', 'PUT ', 'DELETE, PUT'])
      assert.equal(await textOf(post(app, '/books/7', { method })), '405', method);
    assert.equal(await textOf(post(app, '/books/7?_method=PUT', {})), '405');
    const json = app.fetch('/books/7', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
      body: '{"_method": "PUT"}',
    });
    assert.equal(await textOf(json), '405');
    for (const method of ['PUT', 'PATCH'])
      assert.equal(
        (await app.fetch('/books/7', { method, body: new URLSearchParams({ _method: 'DELETE' }) })).status,
        method === 'PUT' ? 200 : 405,
      );
  });

  it("is refused from another site's page, which cannot send that method itself", async () => {
    for (const headers of [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site', Origin: 'http://localhost:3000' },
    ])
      assert.equal(await textOf(post(app, '/books/7', { method: 'PUT', headers })), '403');
    const ask = (headers: Readonly<Record<string, string>>): Promise<string> =>
      textOf(
        app.fetch('/books/7', { method: 'POST', headers, body: new URLSearchParams({ _method: 'PUT' }) }),
      );
    assert.equal(await ask({ Origin: 'http://evil.example' }), '403');
    assert.equal(await ask({ Origin: 'null' }), '403');
    assert.equal(await ask({ Cookie: 'session=x' }), '403');
    assert.equal(await ask({ Authorization: 'Basic YTpi' }), '403');
    assert.equal(await ask({ Origin: 'http://localhost' }), '200 PUT 7 undefined');
    assert.equal(await ask({}), '200 PUT 7 undefined', 'a client without credentials');
  });

  it('is overridden by X-HTTP-Method-Override', async () => {
    const headers = { 'X-HTTP-Method-Override': 'DELETE' };
    assert.equal(await textOf(post(app, '/books/7', { method: 'PUT', headers })), '200 delete 7');
  });

  it('is the method in the record, the routing trace and the error report', async () => {
    app.patch('/broken', () => assert.fail('broken'), { formMethod: true });
    const response = await post(app, '/broken', { method: 'PATCH' });
    const found = await app.profiler?.find(response.headers.get('x-debug-token') ?? '');
    assert.ok(found?.kind === 'found');
    assert.deepEqual([found.record.request.method, found.record.response?.status], ['PATCH', 500]);
    assert.equal(found.record.route?.trace?.method, 'PATCH');
    const { debug } = (await response.json()) as { debug: { method: string } };
    assert.equal(debug.method, 'PATCH');
  });
});

describe('the formMethod option', () => {
  it('of the application is the default for its routes', async () => {
    const app = createBooks({ formMethod: true });
    app.put('/kept', () => 'kept', { formMethod: false });
    assert.equal(await textOf(post(app, '/books/7', { method: 'DELETE' })), '200 delete 7');
    assert.equal(await textOf(post(app, '/kept', { method: 'PUT' })), '405');
    await app.close();
  });

  it('can be set for a group and for decorated routes', async () => {
    class Notes {
      @Delete('/notes', { formMethod: true })
      clear(): string {
        return 'cleared';
      }
      @Patch('/notes')
      keep(): string {
        return 'kept';
      }
    }
    const app = createApp({ configuration: base, logHandlers: [], controllers: [Notes] });
    app.group({ path: '/admin', formMethod: true }, (group) => {
      group.put('/on', () => 'on');
      group.put('/off', () => 'off', { formMethod: false });
      group.group({ path: '/inner' }, (inner) => inner.put('/on', () => 'inner'));
    });
    assert.equal(await textOf(post(app, '/notes', { method: 'DELETE' })), '200 cleared');
    assert.equal(await textOf(post(app, '/notes', { method: 'PATCH' })), '405');
    assert.equal(await textOf(post(app, '/admin/on', { method: 'PUT' })), '200 on');
    assert.equal(await textOf(post(app, '/admin/inner/on', { method: 'PUT' })), '200 inner');
    assert.equal(await textOf(post(app, '/admin/off', { method: 'PUT' })), '405');
    await app.close();
  });

  it('applies access rules to the method in the field', async () => {
    const app = createBooks({
      security: createSecurity({
        provider: createMemoryUserProvider([]),
        accessControl: [{ path: '/books', methods: ['PUT'], allow: 'ROLE_EDITOR' }],
      }),
    });
    assert.equal(await textOf(post(app, '/books/7', { method: 'PUT' })), '401');
    await app.close();
  });

  it('leaves uploads to a POST route that reads them as they arrive', async () => {
    const app = createBooks();
    app.post('/files', async ({ request }) => {
      const { fields } = await receiveUploads(request, { to: () => undefined });
      return HttpResponse.text(
        `received ${new URLSearchParams(fields.map(([...pair]) => pair)).get('title')}`,
      );
    });
    app.delete('/files', () => 'deleted', { formMethod: true });
    assert.equal(
      await textOf(post(app, '/files', { method: 'DELETE', type: 'multipart' })),
      '200 received Tea',
    );
    assert.equal(await textOf(post(app, '/files', { method: 'DELETE' })), '200 deleted');
    await app.close();
  });

  it('refuses a form that is too large, as if it were read later', async () => {
    const app = createBooks({ limits: { body: 10 } });
    assert.equal(await textOf(post(app, '/books/7', { method: 'PUT' })), '413');
    await app.close();
  });
});
