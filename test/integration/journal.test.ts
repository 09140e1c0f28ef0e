import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DatabaseSync } from '@photostructure/sqlite';
import type { App } from 'lookback';
import { createDemo } from '../../demo/create-demo.js';
import { startService } from '../contract/service.js';
import { ask } from '../contract/wire-client.js';
import { Visitor } from '../security/visitor.js';
import { itIsEditedTogether } from './edit-together.js';
import { itKeepsFewFormerAddresses, itLeadsOnFromFormerAddresses } from './former-addresses.js';
import { startPostgres, type TestPostgres } from '../persistence/start-postgres.js';
import { local } from '../local-peer.js';

/** The demo with its files in a new folder. */
async function openDemo(variables: NodeJS.ProcessEnv = {}): Promise<{ app: App; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'lookback-journal-'));
  const app = await createDemo({
    variables: { APP_ENV: 'test', PROFILER_STORE: 'memory:', DEMO_FOLDER: folder, ...variables },
    logHandlers: [],
  });
  return {
    app,
    async close() {
      await app.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Fails after its response, which would end this test run, so a separate process requests it below. */
const unawaited = '/failures/unhandled-rejection';

async function loggedIn(app: App, name: string): Promise<Visitor> {
  const visitor = new Visitor(app);
  const answer = await visitor.post('/en/login', { form: { _username: name, _password: name } });
  assert.equal(answer.location, '/en', name);
  return visitor;
}

describe('the journal', () => {
  let app: App;
  let close: () => Promise<void>;
  before(async () => {
    ({ app, close } = await openDemo());
  });
  after(() => close());

  it('has a list of requests with at most 60 kB, 20 kB of styles and 15 kB of scripts', async () => {
    const demo = await openDemo();
    try {
      const paths = [
        '/en/articles',
        '/en/articles/reading-a-stack-trace?with=a&query=that&is=long',
        '/de/articles/two-windows-two-languages',
        '/failures/chain',
        '/failures/n-plus-one',
        '/failures/forbidden',
        '/en/articles/a-very-long-address-that-nobody-would-type-but-that-somebody-has',
        '/en/login',
        '/api/articles',
        '/failures/aggregate',
      ];
      for (let count = 0; count < 60; count++)
        await demo.app.fetch(paths[count % paths.length] ?? '/', { ...local, redirect: 'manual' });
      const page = await (await demo.app.fetch('/_profiler/', local)).text();
      assert.equal(page.split(' data-row').length - 1, 50, 'a full page');
      const lengthOf = (kind: string): number =>
        (page.match(new RegExp(`<${kind}[^>]*>[^]*?</${kind}>`, 'g')) ?? []).join('').length;
      const [styles, scripts] = [lengthOf('style'), lengthOf('script')];
      assert.ok(styles > 1000 && styles <= 20_000, `${styles} characters of styles`);
      assert.ok(scripts > 1000 && scripts <= 15_000, `${scripts} characters of scripts`);
      const rest = page.length - styles - scripts;
      assert.ok(rest <= 60_000, `${rest} characters of HTML`);
    } finally {
      await demo.close();
    }
  });

  it('answers while its database is still being opened, and waits for it where necessary', async () => {
    const demo = await openDemo();
    try {
      const [miss, page] = await Promise.all([
        demo.app.fetch('/robots.txt', local),
        demo.app.fetch('/fr/articles/lire-une-pile-dappels', local),
      ]);
      assert.equal(miss.status, 404);
      assert.match(await page.text(), /<h1>Lire une pile d’appels<\/h1>/);
    } finally {
      await demo.close();
    }
  });

  it("has an article at a URL in each language, and redirects from another language's URL", async () => {
    const visitor = new Visitor(app);
    for (const [path, title] of [
      ['/en/articles/reading-a-stack-trace', 'Reading a stack trace'],
      ['/fr/articles/lire-une-pile-dappels', 'Lire une pile d’appels'],
      ['/de/articles/einen-aufrufstapel-lesen', 'Einen Aufrufstapel lesen'],
    ] as const) {
      const answer = await visitor.get(path);
      assert.equal(answer.status, 200);
      assert.ok(answer.body.includes(`<h1>${title}</h1>`), path);
      assert.equal(answer.header('content-language'), path.slice(1, 3));
    }
    const foreign = await visitor.get('/de/articles/reading-a-stack-trace');
    assert.equal(foreign.location, '/de/articles/einen-aufrufstapel-lesen');
    assert.equal((await visitor.get('/de/articles/no-such-article')).status, 404);
    const untranslated = await visitor.get('/de/articles/a-promise-no-one-waited-for');
    assert.match(untranslated.body, /noch nicht in Ihrer Sprache[\s\S]*<h1 lang="en">/);
    for (const page of ['/de', '/de/articles']) {
      const foreignTitles = [
        ...(await visitor.get(page)).body.matchAll(/<a href="\/de\/articles\/([\w-]+)" lang="en">/g),
      ];
      assert.deepEqual(
        foreignTitles.map(([, slug]) => slug),
        ['a-promise-no-one-waited-for'],
        page,
      );
    }
  });

  it('redirects paths without a language to the visitor’s language', async () => {
    const visitor = new Visitor(app);
    const asked = { headers: { 'Accept-Language': 'de-AT, en;q=0.5' } };
    assert.equal((await visitor.get('/', asked)).location, '/de');
    assert.equal((await visitor.get('/articles?page=2', asked)).location, '/de/articles?page=2');
    assert.equal((await visitor.get('/robots.txt', asked)).status, 404);
  });

  it('returns its articles to API clients with the token, and to no one else', async () => {
    const visitor = new Visitor(app);
    for (const [authorization, status] of [
      ['Bearer journal-demo-token', 200],
      ['Bearer another-token', 401],
      ['', 401],
    ] as const) {
      const headers: Record<string, string> = authorization === '' ? {} : { Authorization: authorization };
      for (const path of ['/api/articles', '/api/articles/reading-a-stack-trace'])
        assert.equal((await visitor.get(path, { headers })).status, status, `${path} ${authorization}`);
    }
    const session = await loggedIn(app, 'admin');
    assert.equal((await session.get('/api/articles')).status, 401);
  });

  it('requires the roles that its pages need', async () => {
    const edit = '/en/articles/reading-a-stack-trace/edit';
    const history = '/en/articles/reading-a-stack-trace/history';
    const expected: [name: string | undefined, path: string, status: number][] = [
      [undefined, edit, 302],
      ['reader', edit, 403],
      ['editor', edit, 200],
      ['admin', edit, 200],
      ['reader', history, 403],
      [undefined, '/admin', 302],
      ['editor', '/admin', 403],
      ['editor', '/admin/no/such/page', 403],
      ['admin', '/admin', 200],
    ];
    for (const [name, path, status] of expected) {
      const visitor = name === undefined ? new Visitor(app) : await loggedIn(app, name);
      assert.equal((await visitor.get(path)).status, status, `${name} ${path}`);
    }
    const reader = await loggedIn(app, 'reader');
    const refused = await reader.post(edit, { form: { title: 'Mine', body: 'a text that is long enough' } });
    assert.equal(refused.status, 403);
  });

  it('accepts a text in a new language, with its own URL and history', async () => {
    const editor = await loggedIn(app, 'editor');
    const english = '/de/articles/why-a-missing-page-should-explain-itself';
    assert.notEqual((await editor.get(english)).status, 200, 'there is no German URL yet');
    const path = '/de/articles/a-promise-no-one-waited-for';
    const form = { title: 'Ein Versprechen', body: 'Auf das niemand gewartet hat.' };
    assert.equal((await editor.post(`${path}/edit`, { form })).location, '/de/articles/ein-versprechen');
    const page = await editor.get('/de/articles/ein-versprechen');
    assert.match(page.body, /<h1>Ein Versprechen<\/h1>/);
    assert.doesNotMatch(page.body, /noch nicht in Ihrer Sprache/);
    const history = await editor.get('/de/articles/ein-versprechen/history');
    assert.match(history.body, /Ein Versprechen/);
    assert.doesNotMatch(history.body, /A promise no one/);
    const other = await editor.get('/en/articles/a-promise-no-one-waited-for');
    assert.match(other.body, /<h1>A promise no one waited for<\/h1>/);
  });

  itIsEditedTogether(() => app);

  it('accepts forms only from its own pages', async () => {
    const reader = await loggedIn(app, 'reader');
    const comment = '/en/articles/one-question-instead-of-forty/comments';
    const foreign = await reader.post(comment, {
      form: { text: 'Not mine' },
      headers: { 'Sec-Fetch-Site': 'cross-site' },
      site: undefined,
    });
    assert.equal(foreign.status, 403);
    const unknown = await reader.post(comment, { form: { text: 'From nowhere' }, site: undefined });
    assert.equal(unknown.status, 403);
    const own = await reader.post(comment, { form: { text: 'My own' } });
    assert.equal(own.location, '/en/articles/one-question-instead-of-forty#comments');
  });

  it('confirms a change once, in the language of the page that confirms it', async () => {
    const reader = await loggedIn(app, 'reader');
    const path = '/en/articles/one-question-instead-of-forty';
    await reader.post(`${path}/comments`, { form: { text: 'A comment' } });
    const german = (await reader.get('/de/articles/eine-frage-statt-vierzig')).body;
    assert.match(german, /role="status">Ihr Kommentar ist da\. Danke!</);
    assert.doesNotMatch((await reader.get(path)).body, /role="status"/);
    const admin = await loggedIn(app, 'admin');
    await admin.post('/admin/users/reader/role', { form: { role: 'ROLE_READER' } });
    assert.match((await admin.get('/admin')).body, /role="status">The role was changed\.</);
  });

  it('strips control characters from texts, and does not fail for such a user name', async () => {
    const reader = await loggedIn(app, 'reader');
    const path = '/en/articles/reading-a-stack-trace';
    assert.equal(
      (await reader.post(`${path}/comments`, { form: { text: 'a\u0000b\u001b[31mc' } })).status,
      303,
    );
    assert.match((await reader.get(path)).body, /ab\[31mc/);
    const odd = await new Visitor(app).post('/en/login', {
      form: { _username: 'reader\u0000', _password: 'x' },
    });
    assert.equal(odd.status, 422);
    assert.match(odd.body, /The name or the password is wrong/);
  });

  it('accepts a comment at the article’s URL in another language, and shows its errors there', async () => {
    const reader = await loggedIn(app, 'reader');
    const foreign = '/de/articles/reading-a-stack-trace/comments';
    const short = await reader.post(foreign, { form: { text: '!' } });
    assert.equal(short.status, 422);
    assert.match(short.body, /mindestens 2 Zeichen/);
    const good = await reader.post(foreign, { form: { text: 'Von anderswo' } });
    assert.equal(good.location, '/de/articles/einen-aufrufstapel-lesen#comments');
  });

  it('hides a removed comment, and lets only editors remove one', async () => {
    const editor = await loggedIn(app, 'editor');
    const path = '/en/articles/a-record-for-every-request';
    await editor.post(`${path}/comments`, { form: { text: 'To be removed' } });
    const remove = /action="([^"]+\/remove)"/.exec((await editor.get(path)).body)?.[1] ?? '';
    const reader = await loggedIn(app, 'reader');
    assert.equal((await reader.post(remove, { form: {} })).status, 403);
    assert.equal((await editor.post(remove, { form: {} })).status, 303);
    assert.doesNotMatch((await editor.get(path)).body, /To be removed/);
    assert.equal((await editor.post(remove, { form: {} })).status, 404);
  });

  it('never redirects to another site when the language changes', async () => {
    const visitor = new Visitor(app);
    for (const page of ['//evil.example', 'https://evil.example/', '/\\evil.example', '/a\nb', '', 'a'])
      assert.equal((await visitor.post('/fr/language', { form: { page } })).status, 400, page);
    const answer = await visitor.post('/fr/language', { form: { page: '/fr/articles' } });
    assert.equal(answer.location, '/fr/articles');
    assert.equal((await visitor.get('/')).location, '/fr');
  });

  it('has a page for each kind of failure, and lists them', async () => {
    const visitor = new Visitor(app);
    const list = await visitor.get('/failures');
    const paths = [...list.body.matchAll(/href="(\/failures\/[\w-]+)"/g)].map((match) => match[1] ?? '');
    assert.ok(paths.includes(unawaited));
    const others = paths.filter((path) => path !== unawaited);
    const answers = await Promise.all(others.map(async (path) => [path, (await visitor.get(path)).status]));
    assert.deepEqual(Object.fromEntries(answers), {
      '/failures/chain': 500,
      '/failures/aggregate': 500,
      '/failures/non-error': 500,
      '/failures/listener': 500,
      '/failures/nothing': 500,
      '/failures/broken-stream': 200,
      '/failures/not-found': 404,
      '/failures/wrong-method': 405,
      '/failures/forbidden': 403,
      '/failures/unauthorized': 401,
      '/failures/login': 302,
      '/failures/n-plus-one': 200,
      '/failures/slow-query': 200,
      '/failures/chian': 404,
    });
  });

  it('names the TypeScript line that queries the database too often, and no compiled file', async () => {
    const answer = await app.fetch('/failures/n-plus-one', local);
    assert.equal(answer.status, 200);
    await answer.text();
    const record = `/_profiler/${answer.headers.get('x-debug-token')}`;
    const text = await (await app.fetch(`${record}.md`, local)).text();
    assert.match(text, /demo\/database\/journal\.ts:\d+ ran the same query \d times/);
    assert.doesNotMatch(await (await app.fetch(`${record}.json`, local)).text(), /dist\/demo\/database/);
  });

  it('describes its failures in the reader’s language', async () => {
    for (const [language, words] of [
      ['en', ['A page for each kind of failure', 'An error with causes', 'Refused for everyone.']],
      [
        'fr',
        ['Une page pour chaque sorte de panne', 'Une erreur et ses causes', 'Refusée, qui que ce soit.'],
      ],
      [
        'de',
        ['Eine Seite für jede Art von Fehler', 'Ein Fehler mit Ursachen', 'Verweigert, wer auch fragt.'],
      ],
    ] as const) {
      const { body } = await new Visitor(app).get('/failures', { headers: { 'Accept-Language': language } });
      for (const text of words) assert.ok(body.includes(text), `${language}: ${text}`);
      assert.equal(/lang="en"/.test(body.replaceAll(/<button[^>]*>/g, '')), language === 'en');
      assert.doesNotMatch(body, /failure_/, 'every message is translated');
    }
  });

  it('writes while another process reads its file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lookback-read-'));
    const demo = await createDemo({
      variables: { APP_ENV: 'test', PROFILER_STORE: 'off', DEMO_FOLDER: folder },
      logHandlers: [],
    });
    const reader = await loggedIn(demo, 'reader');
    const backup = new DatabaseSync(join(folder, 'journal.db'));
    backup.exec('BEGIN');
    backup.prepare('SELECT count(*) FROM articles').get();
    const path = '/en/articles/reading-a-stack-trace/comments';
    const during = await reader.post(path, { form: { text: 'Written during a backup' } });
    backup.exec('COMMIT');
    backup.close();
    assert.equal(during.status, 303);
    assert.equal((await reader.post(path, { form: { text: 'And after it' } })).status, 303);
    await demo.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('has a secret file that other users cannot read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lookback-secret-'));
    const demo = await createDemo({
      variables: { APP_ENV: 'test', PROFILER_STORE: 'off', DEMO_FOLDER: folder },
      logHandlers: [],
    });
    const { mode } = await stat(join(folder, 'secret'));
    assert.equal(mode & 0o077, 0);
    await demo.close();
    await rm(folder, { recursive: true, force: true });
  });
});

describe("the journal's former URLs", () => {
  let demo: Awaited<ReturnType<typeof openDemo>>;
  before(async () => {
    demo = await openDemo();
  });
  after(() => demo.close());

  itLeadsOnFromFormerAddresses(() => demo.app);
  itKeepsFewFormerAddresses(() => demo.app);
});

describe('the journal as a process', () => {
  it('continues after an unhandled rejection, and reports it', async () => {
    const service = await startService();
    try {
      assert.equal((await ask(service.url, unawaited)).status, 200);
      await service.said(/CRITICAL process: Unhandled promise rejection/);
      assert.equal((await ask(service.url, '/en')).status, 200);
    } finally {
      await service.stop();
    }
  });

  it('says why it does not start if its database cannot be opened', async () => {
    await assert.rejects(
      startService({ DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/journal' }),
      /ECONNREFUSED/,
    );
  });
});

describe('the journal on PostgreSQL', () => {
  let server: TestPostgres;
  let demo: Awaited<ReturnType<typeof openDemo>>;
  before(async () => {
    server = await startPostgres();
    // The database itself is created at the first start.
    demo = await openDemo({
      DATABASE_URL: `postgres://postgres:postgres@127.0.0.1:${server.port}/journal`,
    });
  });
  after(async () => {
    await demo?.close();
    await server?.stop();
  });

  it('shows articles, logs in, edits and reverts', async () => {
    const editor = await loggedIn(demo.app, 'editor');
    const path = '/fr/articles/lire-une-pile-dappels';
    assert.match((await editor.get(path)).body, /<h1>Lire une pile d’appels<\/h1>/);
    const [, basis] = /name="basis" value="(\d+)"/.exec((await editor.get(`${path}/edit`)).body) ?? [];
    const saved = await editor.post(`${path}/edit`, {
      form: { title: 'Relire une pile', body: 'Un texte qui est assez long.', basis: basis ?? '' },
    });
    assert.equal(saved.location, '/fr/articles/relire-une-pile');
    const history = await editor.get('/fr/articles/relire-une-pile/history');
    const revert = [...history.body.matchAll(/action="([^"]+\/history\/\d+)"/g)].at(-1)?.[1] ?? '';
    assert.equal((await editor.post(revert, { form: {} })).location, `${path}/history`);
    assert.equal((await editor.get('/en/articles/reading-a-stack-trace')).status, 200);
    assert.equal((await editor.get('/failures/slow-query')).status, 200);
  });

  itIsEditedTogether(() => demo.app);
  itLeadsOnFromFormerAddresses(() => demo.app);
});
