import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type { MikroORM } from '@mikro-orm/libsql';
import type { Queue } from 'bullmq';
import type { App } from '#framework/app';
import { findPostgres } from '../profiler/store-servers.js';
import { startRedis } from '../security/start-redis.js';
import { Visitor } from '../security/visitor.js';
import { until } from '../until.js';
import { createTables } from '../persistence/create-tables.js';
import { type Programs, writePrograms } from './write-programs.js';

const pages = [
  { name: 'forms', page: 'docs/guides/forms.md' },
  { name: 'forgotten-password', page: 'docs/guides/forgotten-password.md' },
  { name: 'webhooks', page: 'docs/guides/webhooks.md' },
  { name: 'email-verification', page: 'docs/guides/email-verification.md' },
  { name: 'localised-login', page: 'docs/guides/localised-login.md' },
  { name: 'pagination', page: 'docs/guides/pagination.md' },
  { name: 'tenants', page: 'docs/guides/tenants-and-reports.md' },
  { name: 'files', page: 'docs/guides/files.md' },
  { name: 'mail-and-jobs', page: 'docs/guides/mail-and-jobs.md' },
  { name: 'two-databases', page: 'docs/guides/two-databases.md' },
  { name: 'live-several-processes', page: 'docs/guides/live-several-processes.md' },
  { name: 'front-end', page: 'docs/guides/front-end.md' },
  { name: 'container', page: 'docs/guides/container.md' },
  { name: 'coming-from', page: 'docs/start/coming-from.md' },
] as const;

/** The pages about single tasks; each is one file, as a reader types it. */
describe('pages about a task', () => {
  let programs: Programs;
  const home = process.cwd();
  before(() => {
    process.env['PROFILER_STORE'] = 'off';
    programs = writePrograms(pages);
    programs.compile();
    process.chdir(programs.folder); // the folder for a page's files
  });
  after(() => {
    process.chdir(home);
    programs.remove();
  });
  async function load<Exports>(
    name: (typeof pages)[number]['name'],
  ): Promise<Exports & { readonly app: App }> {
    return (await import(pathToFileURL(join(programs.folder, `${name}.js`)).href)) as Exports & { app: App }; // exported by the page
  }

  it('docs/guides/forms.md: an invalid form is shown again as typed, and a success message is shown once', async () => {
    const { app } = await load('forms');
    const ada = new Visitor(app);
    const wrong = await ada.post('/register', { form: { name: 'Ada "the first"', email: 'nowhere' } });
    assert.equal(wrong.status, 422);
    assert.match(wrong.body, /value="Ada (?:&#34;|&quot;)the first(?:&#34;|&quot;)"/);
    assert.match(wrong.body, /value="nowhere"[^>]*aria-invalid="true"[\s\S]*Enter an e-mail address\./);
    assert.doesNotMatch(wrong.body, /Enter your name/);
    assert.match((await ada.post('/register', { form: {} })).body, /Invalid input|Enter your name/);
    const right = await ada.post('/register', { form: { name: 'Ada', email: 'ada@example.org' } });
    assert.deepEqual([right.status, right.location], [303, '/']);
    assert.match((await ada.get('/')).body, /<p role="status">Welcome, Ada\.<\/p>/);
    assert.doesNotMatch((await ada.get('/')).body, /Welcome/);
    await app.close();
  });

  it('docs/guides/forgotten-password.md: the mailed link works once, and a new password ends older sessions', async () => {
    const { app, accounts, outbox } = await load<{
      accounts: Map<string, { identifier: string; roles: string[]; passwordHash: string }>;
      outbox: { to: string; text: string }[];
    }>('forgotten-password');
    const { createPasswords } = await import('#framework/security');
    const passwordHash = await createPasswords().hash('the old password');
    accounts.set('ada@example.org', { identifier: 'ada@example.org', roles: [], passwordHash });
    const before = new Visitor(app);
    assert.equal((await before.logIn('ada@example.org', 'the old password')).location, '/');
    assert.equal((await before.get('/')).body, 'Hello, ada@example.org.');

    const ada = new Visitor(app);
    const known = await ada.post('/password', { form: { email: 'Ada@example.org' } });
    const unknown = await ada.post('/password', { form: { email: 'eve@example.org' } });
    assert.deepEqual([known.status, known.body], [unknown.status, unknown.body]);
    assert.deepEqual(
      outbox.map(({ to }) => to),
      ['ada@example.org'],
    );
    const link = new URL(/http\S+/.exec(outbox[0]?.text ?? '')?.[0] ?? '');
    assert.equal((await ada.get('/password/new')).location, '/login');
    const target = link.pathname + link.search;
    assert.equal((await ada.get(target)).location, '/password/new');
    assert.equal((await ada.get('/password/new')).status, 200);
    assert.equal(
      (await ada.post('/password/new', { form: { password: 'short' } })).location,
      '/password/new',
    );
    const saved = await ada.post('/password/new', { form: { password: 'a completely new one' } });
    assert.deepEqual([saved.status, saved.location], [303, '/']);
    assert.equal(
      (await ada.get('/')).body,
      'Hello, ada@example.org.',
      'the user who set the password stays logged in',
    );
    assert.equal((await before.get('/')).body, 'Hello, stranger.', 'other sessions end');
    const thief = new Visitor(app);
    assert.match((await thief.get(target)).location ?? '', /^\/password\?error=(?:expired|token)$/);
    assert.equal((await thief.logIn('ada@example.org', 'a completely new one')).location, '/');
    const answers = [];
    for (let count = 0; count < 6; count++)
      answers.push((await thief.post('/password', { form: { email: 'x@example.org' } })).status);
    assert.equal(answers.at(-1), 429);
    await app.close();
  });

  it("docs/guides/localised-login.md: paths, redirects and messages are in the visitor's language", async () => {
    const { app } = await load('localised-login');
    const ada = new Visitor(app);
    const french = { headers: { 'Accept-Language': 'fr' } };
    assert.equal((await ada.get('/account', french)).location, '/fr/account');
    assert.equal((await ada.get('/fr/account')).location, '/fr/login');
    const refused = await ada.post('/fr/login', { form: { _username: 'ada', _password: 'wrong' } });
    assert.equal(refused.location, '/fr/login?error=credentials');
    const page = (await ada.get('/fr/login?error=credentials')).body;
    assert.match(page, /lang="fr"[\s\S]*Nom ou mot de passe incorrect\.[\s\S]*href="\/en\/login"/);
    const accepted = await ada.post('/fr/login', { form: { _username: 'ada', _password: 'open sesame' } });
    assert.equal(accepted.location, '/fr/account');
    assert.equal((await ada.get('/fr/account')).body, 'Bonjour, ada.');
    assert.equal((await new Visitor(app).get('/en/account')).location, '/en/login');
    await app.close();
  });

  it('docs/guides/webhooks.md: a correctly signed event is processed once, however often it arrives', async () => {
    const { app, paid, sign } = await load<{
      paid: string[];
      sign: (body: Uint8Array, time: number) => string;
    }>('webhooks');
    const now = Math.floor(Date.now() / 1000);
    const send = async (text: string, signature?: string): Promise<number> => {
      const body = Buffer.from(text);
      const headers = { 'Content-Type': 'application/json', 'X-Signature': signature ?? sign(body, now) };
      return (await app.fetch('/webhooks/payments', { method: 'POST', headers, body: text })).status;
    };
    const event = (id: string): string =>
      `{ "id": "${id}",  "type": "payment.succeeded", "order": "order-${id}" }`;
    assert.deepEqual(await Promise.all([1, 2, 3].map(() => send(event('a')))), [200, 200, 200]);
    assert.deepEqual(paid, ['order-a']);
    assert.equal(await send(event('b'), sign(Buffer.from(event('a')), now)), 401);
    assert.equal(await send(event('b'), sign(Buffer.from(event('b')), now - 301)), 401);
    for (const header of ['', 't=,v1=', `t=${now},v1=${'0'.repeat(64)}`, 'ü'.repeat(40)])
      assert.equal(await send(event('b'), encodeURI(header)), 401, header);
    for (const bad of ['', '{', '[]', '{"id":1}', `{"id":"${'x'.repeat(151)}","type":"t","order":"o"}`])
      assert.equal(await send(bad), 400, bad);
    assert.equal(await send(event('b')), 200);
    assert.deepEqual(paid, ['order-a', 'order-b']);
    await app.close();
  });

  it('docs/guides/webhooks.md: an event is sent until the receiver accepts it, at most eight times', async () => {
    const { announce, deliver, deliveries, app } = await load<{
      announce: (urls: readonly string[], type: string, data: object) => void;
      deliver: (now?: number) => Promise<void>;
      deliveries: { attempts: number; nextAt: number | undefined; failure?: string }[];
    }>('webhooks');
    const ids: string[] = [];
    const receiver = createServer(async (request, response) => {
      const body = await readText(request);
      const signed = {
        method: 'POST',
        body,
        headers: { 'X-Signature': String(request.headers['x-signature']) },
      };
      const { status } = await app.fetch('/webhooks/payments', signed);
      ids.push((JSON.parse(body) as { id: string }).id);
      response.writeHead(ids.length === 1 ? 500 : status).end('what became of it');
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    try {
      const { port } = receiver.address() as AddressInfo; // it listens
      announce([`http://127.0.0.1:${port}/`, 'http://127.0.0.1:1/'], 'payment.failed', { order: 'o1' });
      const start = Date.now() + 1;
      await deliver(start);
      assert.match(deliveries[0]?.failure ?? '', /answered 500/);
      await deliver(start + 119_000);
      assert.deepEqual(ids.length, 1, 'it is too early for the second attempt');
      await deliver(start + 120_000);
      assert.equal(deliveries[0]?.nextAt, undefined);
      assert.equal(new Set(ids).size, 1);
      for (let days = 1; days < 20; days++) await deliver(start + days * 86_400_000);
      assert.deepEqual(
        deliveries.map(({ attempts, nextAt }) => [attempts, nextAt]),
        [
          [2, undefined],
          [8, undefined],
        ],
      );
    } finally {
      receiver.close();
      receiver.closeAllConnections();
    }
  });

  it('docs/guides/email-verification.md: the mailed link creates a member once, without revealing who has an account', async () => {
    const { app, outbox } = await load<{ outbox: { to: string; text: string }[] }>('email-verification');
    const ada = new Visitor(app);
    const form = { email: 'Ada@example.org', password: 'a long password' };
    const first = await ada.post('/register', { form });
    const second = await ada.post('/register', { form: { ...form, password: 'one of a stranger' } });
    assert.deepEqual([first.status, first.body], [second.status, second.body]);
    assert.deepEqual(
      outbox.map(({ to }) => to),
      ['ada@example.org'],
    );
    await ada.logIn('ada@example.org', 'a long password');
    assert.equal((await ada.get('/members')).status, 403);
    const link = new URL(/http\S+/.exec(outbox[0]?.text ?? '')?.[0] ?? '');
    const token = link.searchParams.get('token') ?? '';
    assert.ok((await ada.get(`/verify${link.search}`)).body.includes(`value="${token}"`));
    assert.equal(
      (await ada.get('/members')).status,
      403,
      'opening the link (as mail scanners do) does not verify the address',
    );
    assert.equal((await ada.post('/verify', { form: { token: `${token}x` } })).status, 403);
    const twice = await Promise.all([1, 2].map(() => ada.post('/verify', { form: { token } })));
    assert.deepEqual(twice.map(({ status }) => status).toSorted(), [303, 403]);
    assert.equal((await ada.get('/members')).body, 'Hello, ada@example.org.');
    await app.close();
  });

  it('docs/guides/pagination.md: searches, counts, continues after a page, and answers an invalid cursor with 400', async () => {
    const { app, orm, BookSchema } = await load<{ orm: MikroORM; BookSchema: never }>('pagination');
    await createTables(orm);
    const em = orm.em.fork();
    for (let number = 1; number <= 45; number++)
      em.create(BookSchema, { title: `Volume ${String(number).padStart(2, '0')}` } as never);
    em.create(BookSchema, { title: '100 % tea' } as never);
    await em.flush();
    const text = async (path: string): Promise<string> => (await app.fetch(path)).text();
    const first = await text('/books');
    assert.match(first, /46 books[\s\S]*100 % tea[\s\S]*Volume 19[\s\S]*page 1 of 3/);
    assert.doesNotMatch(first, /Volume 20|rel="prev"/);
    assert.match(
      await text('/books?page=3'),
      /Volume 40[\s\S]*Volume 45[\s\S]*rel="prev" href="\/books\?page=2"/,
    );
    const searched = await text('/books?search=volume&page=2');
    assert.match(searched, /value="volume"[\s\S]*45 books[\s\S]*href="\/books\?search=volume&amp;page=3"/);
    assert.match(await text('/books?search=100+%25'), /1 books/);
    assert.equal((await app.fetch('/books?page=0')).status, 422);
    const titles: string[] = [];
    for (let after = ''; ;) {
      const page = JSON.parse(await text(`/api/books${after}`)) as {
        books: { title: string }[];
        next: string | null;
      };
      titles.push(...page.books.map(({ title }) => title));
      if (page.next === null) break;
      after = `?after=${encodeURIComponent(page.next)}`;
    }
    assert.equal(new Set(titles).size, 46);
    const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const cursor of [
      'garbage',
      '%',
      '',
      '{}',
      ...[null, {}, 'x', [], ['a'], [null, null], [{ $ne: 1 }, 1], ['a', 1, 2], ['a', '1'], ['a', 1.5]].map(
        encoded,
      ),
    ])
      assert.equal((await app.fetch(`/api/books?after=${encodeURIComponent(cursor)}`)).status, 400, cursor);
    await app.close();
  });

  it('docs/guides/pagination.md: full-text search finds words by their beginning, in pages, on both databases', async () => {
    const { app, orm, BookSchema, searchIndex, containingWords } = (await import(
      `${pathToFileURL(join(programs.folder, 'pagination.js')).href}?search`
    )) as {
      orm: MikroORM;
      BookSchema: never;
      searchIndex: Record<'sqlite' | 'postgres', readonly string[]>;
      containingWords: (text: string, database: string) => { sql: string; values: string[] } | undefined;
    } & { app: App }; // exported by the page; the other test closes its own
    await createTables(orm);
    for (const sql of searchIndex.sqlite) await orm.em.getConnection().execute(sql);
    const em = orm.em.fork();
    const titles = [
      ...Array.from({ length: 21 }, (_, id) => `The sea, part ${id}`),
      'Sea "and" NEAR land',
      'Élan',
    ];
    const books = titles.map((title) => em.create<{ title: string }>(BookSchema, { title }));
    await em.flush();
    const find = async (query: string): Promise<{ books: { title: string }[]; next: number | null }> =>
      (await (await app.fetch(`/api/search?${query}`)).json()) as { books: []; next: null }; // as the page says
    const first = await find('q=SEA');
    assert.deepEqual([first.books.length, first.books[0]?.title], [20, 'Sea "and" NEAR land']);
    const second = await find(`q=se&before=${first.next}`);
    assert.deepEqual(
      [second.books.map(({ title }) => title), second.next],
      [['The sea, part 1', 'The sea, part 0'], null],
    );
    for (const [q, found] of [
      ['"sea', 20],
      ['sea AND (', 1],
      ['near(land', 1],
      ['élan', 1],
      ['*', 0],
      ['', 0],
    ] as const)
      assert.equal((await find(`q=${encodeURIComponent(q)}`)).books.length, found, q);
    const [changed] = books;
    if (changed !== undefined) changed.title = 'A desert';
    await em.flush();
    assert.equal((await find('q=desert')).books.length, 1);
    assert.equal((await find('q=part+0')).books.length, 0);
    await app.close();

    const postgres = await findPostgres();
    try {
      await postgres.query('create table book (id serial primary key, title text not null)');
      for (const sql of searchIndex.postgres) await postgres.query(sql);
      for (const title of titles) await postgres.query(`insert into book (title) values ('${title}')`);
      for (const [q, found] of [
        ['sea', 22],
        ["near:* & ' land", 1],
        ['sea !land', 1],
      ] as const) {
        const { sql = '', values: [value = ''] = [] } = containingWords(q, 'postgres') ?? {};
        const rows = await postgres.query(`select title from book where ${sql.replace('?', `'${value}'`)}`);
        assert.equal(rows.length, found, q);
      }
    } finally {
      await postgres.query('drop table book');
      await postgres.stop();
    }
  });

  it('docs/guides/files.md: pictures are checked, shown and removed', async () => {
    const { app } = await load('files');
    const post = async (bytes: string, type: string): Promise<Response> => {
      const form = new FormData();
      form.set('title', 'A <pear>');
      form.set('picture', new File([Buffer.from(bytes, 'latin1')], '../pear.png', { type }));
      return app.fetch('/pictures', { method: 'POST', body: form });
    };
    const png = '\x89PNG\r\n\x1a\n and the rest';
    assert.equal((await post(png, 'image/png')).status, 303);
    assert.equal((await post('<script>alert(1)</script>', 'image/png')).status, 415);
    const page = await (await app.fetch('/pictures')).text();
    assert.match(page, /alt="A &lt;pear&gt;"/);
    const addresses = [...page.matchAll(/src="([^"]+)"/g)].map(([, address = '']) => address);
    assert.equal(addresses.length, 1, 'refused uploads are not listed');
    const [address = ''] = addresses;
    const shown = await app.fetch(address);
    assert.equal(shown.headers.get('content-type'), 'image/png');
    assert.match(shown.headers.get('content-disposition') ?? '', /^inline/);
    assert.equal(shown.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(Buffer.from(await shown.arrayBuffer()).toString('latin1'), png);
    assert.equal((await app.fetch('/pictures/..%2f..%2fpackage.json')).status, 404);
    assert.equal((await app.fetch(address, { method: 'DELETE' })).status, 204);
    assert.equal((await app.fetch(address)).status, 404);
    await app.close();
  });

  it('docs/guides/mail-and-jobs.md: a request queues a job, whose record has the mail, and a schedule is created', async () => {
    const redis = await startRedis();
    process.env['REDIS_URL'] = redis.url;
    process.env['PROFILER_STORE'] = 'memory:';
    const { app, jobs } = await load<{ jobs: { queue: Queue } }>('mail-and-jobs');
    process.env['PROFILER_STORE'] = 'off';
    const { url } = await app.listen({ port: 0 });
    try {
      const [schedule] = await jobs.queue.getJobSchedulers();
      assert.deepEqual([schedule?.key, schedule?.pattern], ['nightly-report', '0 3 * * *']);
      const answer = await fetch(`${url}/users`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"email":"ada@example.org"}',
      });
      assert.deepEqual(await answer.json(), { email: 'ada@example.org' });
      const find = async (): Promise<string | undefined> => {
        const list = await fetch(`${url}/_profiler/search.json?q=method:JOB`);
        const { rows } = (await list.json()) as { rows: { token: string }[] }; // as docs/guides/profiler.md says
        return rows[0]?.token;
      };
      await until(async () => (await find()) !== undefined);
      const record = await (await fetch(`${url}/_profiler/${await find()}.md`)).text();
      assert.match(record, /JOB \/shop\/welcome[\s\S]*ada@example\.org[\s\S]*Welcome/);
    } finally {
      await jobs.queue.obliterate({ force: true });
      await app.close();
      await redis.stop();
    }
  });

  it('docs/guides/mail-and-jobs.md: a schedule without Redis runs once per period, in one of two processes', async (t) => {
    const { Schedule } = await load<{
      Schedule: new (
        store: object,
        plan: readonly { name: string; everyMs: number; work: () => Promise<void> }[],
      ) => { tick(now: number): Promise<void> };
    }>('mail-and-jobs');
    const { createMemoryExpiringStore } = await import('#framework/security');
    const store = createMemoryExpiringStore();
    const done: string[] = [];
    const said = t.mock.method(console, 'error', () => undefined);
    const plan = [
      { name: 'fails', everyMs: 60_000, work: () => Promise.reject(new Error('on purpose')) },
      { name: 'report', everyMs: 60_000, work: async () => void done.push('report') },
      { name: 'daily', everyMs: 86_400_000, work: async () => void done.push('daily') },
    ];
    const processes = [new Schedule(store, plan), new Schedule(store, plan)];
    const tickAt = async (now: number): Promise<void> =>
      void (await Promise.all(processes.map((one) => one.tick(now))));
    await tickAt(0);
    await tickAt(59_999);
    assert.deepEqual(done.toSorted(), ['daily', 'report']);
    await tickAt(60_000);
    assert.deepEqual(done.toSorted(), ['daily', 'report', 'report']);
    assert.equal(said.mock.callCount(), 2);
  });

  it('docs/guides/tenants-and-reports.md: a tenant sees only its own rows, and the CSV contains no active formula', async () => {
    const { app, orm, security } = await load<{
      orm: MikroORM;
      security: { passwords: { hash(text: string): Promise<string> } };
    }>('tenants');
    await createTables(orm);
    const em = orm.em.fork();
    const passwordHash = await security.passwords.hash('open sesame');
    for (const [tenant, email] of ['ann@one.example', 'ben@two.example'].entries()) {
      em.create('User', { email, passwordHash, tenant, roles: ['ROLE_USER'] });
      em.create('Invoice', { tenant, customer: `=HYPERLINK("x") of ${tenant}`, cents: 1250 });
    }
    await em.flush();
    const visitor = (name: string): Record<string, string> => ({
      Authorization: `Basic ${Buffer.from(`${name}:open sesame`).toString('base64')}`,
    });
    const ann = new Visitor(app);
    assert.equal((await ann.get('/invoices')).status, 401);
    const seen = JSON.parse(
      (await ann.get('/invoices', { headers: visitor('ann@one.example') })).body,
    ) as object;
    assert.deepEqual(seen, {
      tenant: 0,
      invoices: [{ id: 1, tenant: 0, customer: '=HYPERLINK("x") of 0', cents: 1250 }],
    });
    const csv = await app.fetch('/invoices.csv', { headers: visitor('ben@two.example') });
    assert.equal(await csv.text(), 'Invoice,Customer,Amount\r\n2,"\'=HYPERLINK(""x"") of 1",12.5\r\n');
    const upload = async (content: string): Promise<Response> => {
      const form = new FormData();
      form.set('file', new File([content], 'invoices.csv'));
      return app.fetch('/invoices.csv', { method: 'POST', headers: visitor('ann@one.example'), body: form });
    };
    const many = Array.from({ length: 1200 }, (_, id) => `"Ann ""the ${id}th"", of\r\nYork",${id}.5\r\n`);
    const stored = await upload(`Customer,Amount\r\n${many.join('')}Last,1`);
    assert.deepEqual([stored.status, await stored.json()], [200, { count: 1201 }]);
    const { invoices } = JSON.parse(
      (await ann.get('/invoices', { headers: visitor('ann@one.example') })).body,
    ) as { invoices: { customer: string; cents: number }[] };
    assert.deepEqual(
      [invoices.length, invoices[500]?.customer, invoices[500]?.cents, invoices.at(-1)?.customer],
      [1202, 'Ann "the 499th", of\r\nYork', 49_950, 'Last'],
    );
    const refused = await upload('Customer,Amount\nAnn,1\nBen,much\n');
    assert.equal(refused.status, 422);
    assert.match(await refused.text(), /Row 2 is invalid; 0 rows are stored/);
    assert.equal((await app.fetch('/invoices.csv', { method: 'POST' })).status, 401);
    await assert.rejects(orm.em.fork().find('Invoice', {}), /tenant/, 'without a tenant');
    await app.close();
  });

  it('docs/guides/two-databases.md: one application, both databases, each with its own migrations', async () => {
    const { createNotes } = (await import(
      pathToFileURL(join(programs.folder, 'two-databases/src/app.js')).href
    )) as { createNotes: (address: string) => Promise<{ app: App }> }; // exported by the page
    const postgres = await findPostgres();
    try {
      for (const address of [':memory:', postgres.address]) {
        const { app } = await createNotes(address);
        const added = await app.fetch('/notes', { method: 'POST', body: 'Buy tea.' });
        assert.equal(added.status, 200, await added.clone().text());
        const notes = (await (await app.fetch('/notes')).json()) as { id: number; text: string }[]; // as the page says
        assert.deepEqual(
          notes.map(({ id, text }) => [id, text]),
          [[1, 'Buy tea.']],
        );
        await app.close();
      }
      await postgres.query('drop schema public cascade; create schema public');
      process.env['TEST_DATABASE_URL'] = postgres.address;
      const { status, stdout } = programs.run('--test', 'two-databases/src/migrations.test.js');
      assert.equal(status, 0, stdout);
      assert.match(stdout, /pass 2/);
    } finally {
      delete process.env['TEST_DATABASE_URL'];
      await postgres.stop();
    }
  });

  it('docs/guides/container.md: a container constructs controllers, each request has its own scope, and closing disposes of both', async () => {
    interface Page {
      readonly app: App;
      readonly container: { resolve: (name: 'prices') => { of: (article: string) => number } };
    }
    const file = pathToFileURL(join(programs.folder, 'container/src/app.js')).href;
    const { app, container } = (await import(file)) as Page; // exported by the page
    assert.deepEqual(await (await app.fetch('/prices/tea')).json(), { cents: 450 });
    const order = async (customer: string, body: string): Promise<unknown> =>
      (await app.fetch('/basket', { method: 'POST', body, headers: { 'X-Customer': customer } })).json();
    assert.deepEqual(await Promise.all([order('Ada', 'tea,cup'), order('Bob', 'tea')]), [
      { customer: 'Ada', articles: ['tea', 'cup'], cents: 1440 },
      { customer: 'Bob', articles: ['tea'], cents: 450 },
    ]);
    const prices = container.resolve('prices');
    await app.close();
    assert.equal(prices.of('tea'), 0);
  });

  it('docs/guides/live-several-processes.md: an order in one application reaches a browser of another, even after a lost connection', async () => {
    const { createShop } = await load<{ createShop: (address: string) => App }>('live-several-processes');
    const postgres = await findPostgres();
    await postgres.query('create table orders (id serial primary key, item text not null)');
    const [one, other] = [createShop(postgres.address), createShop(postgres.address)];
    const [first, second] = [await one.listen({ port: 0 }), await other.listen({ port: 0 })];
    const leaving = new AbortController();
    let seen = '';
    try {
      const listening = async (least: number): Promise<void> => {
        const sql =
          "select 1 from pg_stat_activity where query like 'listen %' and datname = current_database()";
        await until(async () => (await postgres.query(sql)).length >= least);
      };
      await listening(2);
      const stream = await fetch(`${second.url}/live`, { signal: leaving.signal });
      const reading = (async () => {
        const decoder = new TextDecoder();
        for await (const part of stream.body ?? []) seen += decoder.decode(part, { stream: true });
      })().catch(() => undefined);
      const order = async (item: string): Promise<void> => {
        assert.equal((await fetch(`${first.url}/orders`, { method: 'POST', body: item })).status, 200);
      };
      await order('tea');
      await until(() => Promise.resolve(/event: order\ndata: 1\n/.test(seen)));
      assert.deepEqual(await (await fetch(`${second.url}/orders/1`)).json(), { id: 1, item: 'tea' });
      await postgres.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' and datname = current_database()",
      );
      await until(() => Promise.resolve(/event: reload/.test(seen)));
      await order('silk');
      await until(() => Promise.resolve(/event: order\ndata: 2\n/.test(seen)));
      leaving.abort();
      await reading;
    } finally {
      leaving.abort();
      await one.close();
      await other.close();
      await postgres.stop();
    }
  });

  it('docs/guides/front-end.md: pages link to the built files, forms work with Turbo, and htmx gets fragments', async () => {
    const sources = {
      'src/main.ts': `import './main.css';\nimport { shared } from './shared';\nconsole.log(shared);\n`,
      'src/admin.ts': `import { shared } from './shared';\nconsole.log(shared + 1);\n`,
      'src/shared.ts': `import './shared.css';\nexport const shared = Number(location.port);\n`,
      'src/main.css': 'body { color: teal }',
      'src/shared.css': 'h1 { color: navy }',
      'src/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    };
    mkdirSync('src');
    for (const [name, text] of Object.entries(sources)) writeFileSync(name, text);
    const [, settings = ''] =
      /export default (\{ base: .*\});/.exec(readFileSync(join(home, 'docs/guides/front-end.md'), 'utf8')) ??
      [];
    const config = settings.replace("'src/main.ts',", "'src/main.ts', 'src/admin.ts',");
    writeFileSync('vite.config.mjs', `export default ${config};`);
    const { build } = await import('vite');
    await build({ root: process.cwd(), logLevel: 'error' });
    const { app, createAssets } = await load<{
      createAssets: (options: object) => { tags(name: string): unknown; asset(name: string): string };
    }>('front-end');
    const shown = await (await app.fetch('/')).text();
    assert.match(
      shown,
      /href="\/assets\/shared-[\w-]+\.css"><link rel="stylesheet" href="\/assets\/main-[\w-]+\.css"><script type="module" src="\/assets\/main-[\w-]+\.js">/,
    );
    const files = [...shown.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file = '']) => file);
    assert.match(files.join(' '), /logo-[\w-]+\.svg/);
    for (const file of files) {
      const answer = await app.fetch(file);
      assert.equal(answer.status, 200, file);
      assert.match(answer.headers.get('cache-control') ?? '', /immutable/, file);
    }
    assert.throws(() => createAssets({}).asset('src/mian.ts'), /has no src\/mian\.ts/);
    assert.match(
      String(createAssets({ base: '/app' }).tags('src/main.ts')),
      /href="\/app\/assets\/.*src="\/app\/assets\//,
    );
    const dev = String(createAssets({ server: 'http://localhost:5173' }).tags('src/main.ts'));
    assert.match(dev, /5173\/@vite\/client[^]*5173\/src\/main\.ts/);
    const visitor = new Visitor(app);
    assert.equal((await visitor.post('/names', { form: { name: '' } })).status, 422);
    const added = await visitor.post('/names', { form: { name: 'Ada <3' } });
    assert.deepEqual([added.status, added.location], [303, '/names']);
    assert.match((await visitor.get('/names')).body, /<li>Ada &lt;3<\/li>/);
    const part = await app.fetch('/search?q=ada', { headers: { 'HX-Request': 'true' } });
    assert.match(await part.text(), /^<ul id="found"><li>Ada &lt;3<\/li><\/ul>$/);
    assert.match(part.headers.get('vary') ?? '', /HX-Request/i);
    assert.match(
      (await visitor.get('/search?q=x')).body,
      /<!doctype html>[^]*hx-get="\/search"[^]*<ul id="found"><\/ul>/,
    );
    await app.close();
  });

  it('docs/start/coming-from.md: its assertions hold', async () => {
    await load('coming-from');
  });
});
