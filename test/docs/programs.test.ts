import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { MikroORM } from '@mikro-orm/libsql';
import { type App, createApp } from 'lookback';
import { createPasswords, type Security } from 'lookback/security';
import { startRedis } from '../security/start-redis.js';
import { Visitor } from '../security/visitor.js';
import { createTables } from '../persistence/create-tables.js';
import type { Programs } from './write-programs.js';
import { writePrograms } from './write-programs.js';

/** Pages whose programs are called without a socket, completed with code that the pages leave to the reader. */
const pages = [
  { name: 'application', page: 'docs/guides/application.md' },
  { name: 'testing', page: 'docs/guides/testing.md' },
  { name: 'deployment', page: 'docs/guides/deployment.md' },
  { name: 'json-apis', page: 'docs/guides/json-apis.md' },
  { name: 'html', page: 'docs/guides/html.md' },
  { name: 'openapi', page: 'docs/guides/openapi.md' },
  { name: 'web', page: 'docs/guides/web.md' },
  { name: 'accounts', page: 'docs/guides/accounts.md' },
  { name: 'clickhouse', page: 'docs/reference/stores.md' },
  { name: 'security', page: 'docs/guides/security.md' },
] as const;

describe('programs on the pages', () => {
  let programs: Programs;
  let folder = '';
  let logged = '';
  const write = process.stderr.write;
  /** The programs log to stderr, as they would for a reader; an error logged by one of them fails its test. */
  const assertNoFailure = (output: string): void =>
    assert.doesNotMatch(output, /^.*(?:CRITICAL| 500\)).*$/im);
  afterEach(() => {
    const output = logged;
    logged = '';
    assertNoFailure(output);
  });
  before(() => {
    process.stderr.write = (...[text, ...rest]: [string | Uint8Array, ...never[]]) => {
      logged += String(text);
      return write.call(process.stderr, text, ...rest);
    };
    programs = writePrograms(pages);
    folder = programs.folder;
  });
  after(() => {
    process.stderr.write = write;
    programs.remove();
  });

  it('compile', () => programs.compile());

  it('docs/guides/accounts.md works as described', async () => {
    process.env['PROFILER_STORE'] = 'off';
    const { app } = (await import(pathToFileURL(join(folder, 'accounts.js')).href)) as { app: App }; // exported by the page
    const ada = new Visitor(app);
    const json = { user: { email: 'ada@example.org', password: 'open sesame' } };
    const read = <Body>({ body }: { readonly body: string }): Body => JSON.parse(body) as Body; // described by the page
    assert.equal((await ada.post('/login', { json })).status, 200);
    const me = async (headers: Record<string, string>): Promise<string> =>
      (await new Visitor(app).get('/api/me', { headers })).body;
    const expected = '{"email":"ada@example.org"}';
    const tokens = read<{ access_token: string }>(await ada.post('/tokens'));
    assert.equal(await me({ Authorization: `Token ${tokens.access_token}` }), expected);
    const { key } = read<{ key: string }>(await ada.post('/keys'));
    assert.equal(await me({ 'X-API-Key': key }), expected);
    assert.notEqual(await me({ 'X-API-Key': `${key}x` }), expected);
    assert.equal((await ada.get('/messages')).body, '["The key is made."]');
    assert.equal((await ada.post('/theme/dark')).body, 'before: none');
    assert.equal((await ada.post('/theme/light')).body, 'before: dark');
    assert.equal((await new Visitor(app).get('/messages')).location, '/login/google');
    await app.close();
  });

  it('docs/guides/security.md works as described', async () => {
    const redis = await startRedis();
    process.env['PROFILER_STORE'] = 'off';
    process.env['REDIS_URL'] = redis.url;
    const program = (await import(pathToFileURL(join(folder, 'security.js')).href)) as {
      readonly app: App;
      readonly shared: Security;
      readonly redis: { quit(): Promise<unknown> };
    }; // exported by the page, with code that it leaves to the reader
    const { app, shared } = program;
    const { app: api, orm } = (await import(pathToFileURL(join(folder, 'security/members.js')).href)) as {
      readonly app: App;
      readonly orm: MikroORM;
    }; // exported by the page
    await createTables(orm);
    const passwordHash = await createPasswords().hash('open sesame');

    await orm.em
      .getConnection()
      .execute('insert into user (email, password_hash, bio, roles) values (?, ?, ?, ?)', [
        'ada@example.org',
        passwordHash,
        '',
        '[]',
      ]);
    const ada = new Visitor(app);
    assert.equal((await ada.get('/admin')).location, '/login');
    assert.equal((await ada.logIn('ada', 'open sesame')).location, '/admin');
    assert.equal((await ada.get('/admin')).body, 'The books.');
    await ada.get('/cart');
    assert.equal((await ada.get('/cart')).body, '["pear","pear"]');
    const Authorization = `Basic ${Buffer.from('ada@example.org:open sesame').toString('base64')}`;
    const put = await new Visitor(api).send('PUT', '/me', {
      json: { bio: 'Counts.' },
      headers: { Authorization },
    });
    assert.equal(put.body, '{"bio":"Counts."}');
    assert.deepEqual(await orm.em.getConnection().execute('select bio from user'), [{ bio: 'Counts.' }]);
    const [one, two] = [createApp({ security: shared }), createApp({ security: shared })]; // as in two processes
    one.get('/', ({ user }) => user?.identifier);
    two.get('/', ({ user }) => user?.identifier);
    const visitor = new Visitor(one);
    await visitor.logIn('ada', 'open sesame');
    const elsewhere = new Visitor(two);
    for (const [name, value] of visitor.cookies) elsewhere.cookies.set(name, value);
    assert.equal((await elsewhere.get('/')).body, 'ada');
    await Promise.all([app, api, one, two].map((each) => each.close()));
    await program.redis.quit();
    await redis.stop();
  });

  it('docs/guides/openapi.md works as described', async () => {
    process.env['PROFILER_STORE'] = 'off';
    const program = (await import(pathToFileURL(join(folder, 'openapi.js')).href)) as {
      readonly app: App;
    }; // exported by the page
    const document = (await (await program.app.fetch('/openapi.json')).json()) as {
      readonly paths: Readonly<
        Record<string, Readonly<Record<string, { readonly summary?: string; readonly security?: unknown }>>>
      >;
    }; // the page describes it
    assert.equal(document.paths['/orders/{id}']?.['get']?.summary, 'One order');
    assert.deepEqual(document.paths['/orders']?.['post']?.security, [{ 'access-token': [] }]);
    assert.equal((await program.app.fetch('/orders', { method: 'POST' })).status, 401);
    const viewer = await (await program.app.fetch('/docs')).text();
    assert.match(
      viewer,
      /swagger-ui-bundle\.js"><\/script>\s*<script>SwaggerUIBundle\(\{ url: 'openapi\.json'/,
      'relative, so that it works below a path',
    );
    assert.equal(document.paths['/docs'], undefined);
    await program.app.close();
  });

  it('docs/guides/application.md works as described', async () => {
    process.env['PROFILER_STORE'] = 'off';
    const { app } = (await import(pathToFileURL(join(folder, 'application.js')).href)) as { app: App }; // exported by the page
    const ask = async (path: string, body?: unknown): Promise<readonly unknown[]> => {
      const post = {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      };
      const response = await app.fetch(path, body === undefined ? {} : post);
      assert.equal(response.headers.get('x-frame-options'), 'DENY', path);
      const text = await response.text();
      return [response.status, response.ok ? text : ''];
    };
    assert.deepEqual(await ask('/'), [200, 'It works.']);
    assert.deepEqual(await ask('/articles/b'), [200, '{"slug":"b"}']);
    assert.deepEqual(await ask('/api/articles'), [200, '{"first":"/articles/a"}']);
    assert.deepEqual(await ask('/books/7'), [404, '']);
    const comment = '{"id":7,"notify":"no","text":"Good."}';
    assert.deepEqual(await ask('/articles/7/comments', { text: 'Good.' }), [201, comment]);
    assert.deepEqual(await ask('/articles/x/comments', { text: 'Good.' }), [404, '']);
    assert.deepEqual(await ask('/articles/7/comments', {}), [422, '']);
    const order = '{"id":1,"items":["pear"],"total":5}';
    assert.deepEqual(await ask('/shops/7/orders?notify=yes', { items: ['pear'] }), [201, order]);
    assert.deepEqual(await ask('/shops/x/orders', { items: ['pear'] }), [404, '']);
    assert.deepEqual(await ask('/shops/7/orders?notify=perhaps', { items: [] }), [422, '']);
    await app.close();
  });

  it('docs/guides/web.md works as described', async () => {
    process.env['PROFILER_STORE'] = 'off';
    const { app } = (await import(pathToFileURL(join(folder, 'web.js')).href)) as { app: App }; // exported by the page
    const head = async (path: string, init?: Parameters<App['fetch']>[1]): Promise<readonly unknown[]> => {
      const { status, headers } = await app.fetch(path, init);
      return [status, headers.get('content-disposition') ?? headers.get('content-encoding')];
    };
    assert.deepEqual(await head('/api/rows', { headers: { 'accept-encoding': 'br' } }), [200, 'br']);
    assert.deepEqual(await head('/images/'), [404, null]);
    assert.equal(
      (await head('/manual'))[1],
      `attachment; filename="Anleitung f_r alle.md"; filename*=UTF-8''Anleitung%20f%C3%BCr%20alle.md`,
    );
    assert.equal((await head('/manual', { headers: { range: 'bytes=0-1' } }))[0], 206);
    assert.deepEqual(await head('/export'), [200, 'attachment; filename="export.csv"']);
    const page = await app.fetch('/page');
    const nonce = /nonce="([^"]+)"/.exec(await page.text())?.[1];
    assert.ok(
      nonce !== undefined && page.headers.get('content-security-policy')?.includes(`'nonce-${nonce}'`),
    );
    assert.deepEqual(await head('/readyz'), [200, null]);
    const logins = [];
    const login = { method: 'POST', peer: { address: '192.0.2.1' } };
    for (let count = 0; count < 6; count++) logins.push((await head('/api/login', login))[0]);
    assert.deepEqual(logins, [204, 204, 204, 204, 204, 429]);
    await app.close();
  });

  /** Runs a page's program in its own process. */
  const run = (...words: string[]): { status: number | null; output: string } => {
    const { status, stdout, stderr } = programs.run(...words);
    logged += stderr;
    return { status, output: stdout + stderr };
  };

  it('docs/guides/testing.md works as described', () => {
    for (const program of ['testing.js', 'testing/register.test.js']) {
      const { status, output } = run(program);
      assert.equal(status, 0, output);
    }
  });

  it('docs/guides/deployment.md, docs/guides/json-apis.md and docs/guides/html.md work as described', () => {
    const script = `
      import assert from 'node:assert/strict';
      const { app: deployed, settings, toPino } = await import('./deployment.js');
      const error = new Error('outer', { cause: new RangeError('inner') });
      toPino.handle({ level: 'critical', channel: 'request', message: 'Uncaught', context: { error, status: 500, password: 'hunter2' } });
      assert.deepEqual({ ...settings }, { MAIL_URL: 'smtp://127.0.0.1:25', WORKERS: 2, SIGN_UP: false });
      assert.deepEqual((await deployed.commands()).map(({ name }) => name), ['invite']);
      const { app: api } = await import('./json-apis.js');
      assert.deepEqual(await (await api.fetch('/api/books')).json(), [{ id: 1, title: 'Emma' }]);
      assert.equal((await api.fetch('/api/books?limit=101')).status, 422);
      assert.equal((await api.fetch('/api/books/1', { method: 'DELETE' })).status, 204);
      const { app: pages } = await import('./html.js');
      assert.match(await (await pages.fetch('/hello/%3Cb%3E')).text(), /Hello, &lt;b&gt;!/);
      assert.match(await (await pages.fetch('/list')).text(), /<li>&lt;Ada&gt;<.li><li>Ben<.li>/);
      process.exit(0);`;
    const { status, output } = run('--input-type=module', '-e', script);
    assert.equal(status, 0, output);
    const { err, ...line } = JSON.parse(output.split('\n')[0] ?? '') as LineOfPino;
    const { level, channel, msg, password } = line;
    assert.deepEqual([level, channel, msg, password], [60, 'request', 'Uncaught', '[Redacted]']);
    assert.deepEqual([err?.['type'], err?.['message']], ['Error', 'outer: inner']);
    assert.match(err?.['stack'] ?? '', /RangeError: inner/);
  });
});

interface LineOfPino extends Readonly<Record<string, unknown>> {
  readonly err?: Readonly<Record<string, string>>;
}
