import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MikroORM } from '@mikro-orm/libsql';
import { createApp } from '#framework/app';
import type { App, Extension } from '#framework/app';
import { requestUser } from '#core/http';
import { kernelListener, kernelPriority, requestEvent } from '#framework/kernel';
import { createLocale } from '#framework/locale';
import { createPersistence, withBehaviours } from '#framework/persistence';
import type { Persistence } from '#framework/persistence';
import type { DbSection } from '#profiler';
import { Article, journalEntities } from './journal-entities.js';
import { local } from '../local-peer.js';
import { createTables } from './create-tables.js';
import { translate } from './test-database.js';

/** Stands in for a firewall: a header names the user. */
const headerSecurity: Extension = {
  name: 'security',
  listeners: [
    kernelListener(
      requestEvent,
      ({ request }) => {
        const identifier = request.headers.get('x-user');
        request.scope.set(requestUser, () =>
          identifier === undefined ? undefined : { identifier, roles: [] },
        );
      },
      { name: 'firewall', priority: kernelPriority.request.firewall },
    ),
  ],
};

describe('persistence in an application', () => {
  let app: App;
  let persistence: Persistence;
  before(async () => {
    const orm = await MikroORM.init(withBehaviours({ dbName: ':memory:', entities: journalEntities }));
    await createTables(orm);
    persistence = createPersistence({ orm });
    const em = persistence.forActor({ user: () => ({ identifier: 'fixtures' }) });
    const article = em.create(Article, { title: 'Hello', body: '', status: 'hello' });
    await translate(em, article, { fr: { title: 'Bonjour' } });
    app = createApp({
      persistence,
      security: headerSecurity,
      locale: createLocale({ enabled: ['en', 'fr', 'de'] }),
      configuration: { debug: true, profilerStore: 'memory:' },
      logHandlers: [],
    });
    app.get('/{_locale}/articles/{slug}', async ({ request, params }) => {
      const { title, updatedBy } = await persistence
        .entityManager(request)
        .findOneOrFail(Article, { status: params['slug'] ?? '' });
      return { title, updatedBy };
    });
    app.any(
      '/{_locale}/write/{title}',
      async (em: Persistence['orm']['em']) => {
        const article = await em.findOneOrFail(Article, { status: 'hello' });
        article.title = `${article.title}!`;
        await em.flush();
        return { title: article.title, by: article.updatedBy };
      },
      { methods: ['POST'], arguments: [persistence.argument] },
    );
  });
  after(() => app.close());

  const get = async (path: string, headers: Record<string, string> = {}): Promise<unknown> =>
    (await app.fetch(path, { headers, ...local })).json();

  it("gives controllers the request's language", async () => {
    assert.deepEqual(await get('/en/articles/hello'), { title: 'Hello', updatedBy: 'fixtures' });
    assert.deepEqual(await get('/fr/articles/hello'), { title: 'Bonjour', updatedBy: 'fixtures' });
    assert.deepEqual(await get('/de/articles/hello'), { title: 'Hello', updatedBy: 'fixtures' });
  });

  it("K6: writes with the request's language and user", async () => {
    const response = await app.fetch('/fr/write/x', {
      method: 'POST',
      headers: { 'x-user': 'ada' },
      ...local,
    });
    const written = (await response.json()) as { title: string; by: string }; // returned by the controller
    assert.deepEqual([written.title, written.by], ['Bonjour!', 'ada']);
    assert.deepEqual(await get('/fr/articles/hello'), { title: 'Bonjour!', updatedBy: 'ada' });
    assert.deepEqual(await get('/en/articles/hello'), { title: 'Hello', updatedBy: 'ada' });
  });

  it('K5, K8: the hooks run on every request, including those without a route', async () => {
    const seen: unknown[] = [];
    const stop = app.on(
      requestEvent,
      async ({ request }) => {
        const em = persistence.entityManager(request);
        const article = em.create(Article, { title: 'Missed', body: '' });
        await em.flush();
        seen.push(article.createdBy);
      },
      { priority: -100 },
    );
    const response = await app.fetch('/nowhere/at/all', {
      ...local,
      headers: { 'x-user': 'eve', accept: 'application/json' },
    });
    stop();
    assert.equal(response.status, 404);
    assert.deepEqual(seen, ['eve']);
  });

  it('queries and changes are in the record, with their call site', async () => {
    const response = await app.fetch('/de/write/y', {
      method: 'POST',
      headers: { 'x-user': 'bob' },
      ...local,
    });
    const found = await app.profiler?.find(response.headers.get('x-debug-token') ?? '');
    assert.ok(found?.kind === 'found');
    const db = found.record.sections['db'] as DbSection; // the type that the collector stores
    const statements = db.queries.map(({ sql }) => sql.split(' ')[0]);
    assert.deepEqual([statements[0], statements.includes('update'), db.totals.commits], ['select', true, 1]);
    assert.match(db.queries[0]?.callSite[0]?.file ?? '', /app\.test\.js$/);
    assert.deepEqual(
      db.changes.map(({ action, entity }) => [action, entity]),
      [['update', 'Article']],
    );
    const page = await app.fetch(`/_profiler/${found.record.token}?panel=db`, {
      ...local,
      headers: { accept: 'text/html' },
    });
    assert.equal(page.status, 200);
    assert.match(await page.text(), /ext_translations/);
  });
});
