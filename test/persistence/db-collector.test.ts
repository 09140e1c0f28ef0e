import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { after, before, describe, it } from 'node:test';
import { EntitySchema, MikroORM, type Opt } from '@mikro-orm/libsql';
import { HttpRequest, HttpResponse } from '#core/http';
import { createPersistence, defineBehaviours, withBehaviours } from '#framework/persistence';
import type { Persistence } from '#framework/persistence';
import { createProfiler, requestRecording } from '#profiler';
import type { DbSection, Profiler } from '#profiler';
import { runInScope } from '#core/scope';
import { queryExplainer } from '#profiler/instrumentation';
import { dbPanel } from '../../src/profiler/sections/database/panel.js';
import { dbLimits } from '../../src/profiler/sections/database/queries.js';
import { readSelect } from '../../src/profiler/sections/database/read-select.js';
import { createTables } from './create-tables.js';

interface Account {
  id: number;
  name: string;
  password: string;
}

const AccountSchema = new EntitySchema<Account>({
  name: 'Account',
  properties: {
    id: { type: 'integer', primary: true, autoincrement: true },
    name: { type: 'string', unique: true },
    password: { type: 'string' },
  },
});

const peer = { address: '127.0.0.1', port: 1, encrypted: false };

interface Page {
  id: number;
  title: string;
  revision: number & Opt;
}

/** After each update MikroORM reads `revision` back; before it, lookback reads the number of the last stored version. */
const PageSchema = new EntitySchema<Page>({
  name: 'Page',
  properties: {
    id: { type: 'integer', primary: true, autoincrement: true },
    title: { type: 'string' },
    revision: { type: 'integer', version: true },
  },
});
defineBehaviours(PageSchema, { loggable: { fields: ['title'] } });

describe("a record's db section", () => {
  let persistence: Persistence;
  let profiler: Profiler;
  before(async () => {
    const orm = await MikroORM.init(
      withBehaviours({ dbName: ':memory:', entities: [AccountSchema, PageSchema] }),
    );
    await createTables(orm);
    persistence = createPersistence({ orm });
    profiler = createProfiler({ store: 'memory:' });
    const em = persistence.forActor({});
    for (const name of ['ada', 'bob', 'cyd']) em.create('Account', { name, password: `secret-${name}` });
    await em.flush();
  });
  after(async () => {
    await profiler.close();
    await persistence.close();
  });

  /** Runs work as a recorded request, and returns the database section of its record. */
  async function record(work: (em: Persistence['orm']['em']) => Promise<unknown>): Promise<DbSection> {
    const request = new HttpRequest({ method: 'GET', target: '/', rawHeaders: [], httpVersion: '1.1', peer });
    const recording = profiler.begin(request);
    request.scope.set(requestRecording, recording);
    await runInScope(request.scope, () => work(persistence.forActor({})));
    profiler.finish(recording, new HttpResponse(''), {
      status: 200,
      headers: [],
      bodyBytes: 0,
      completed: true,
    });
    const found = await profiler.find(recording.token);
    assert.ok(found.kind === 'found');
    return found.record.sections['db'] as DbSection; // the type that the collector stores
  }

  it('has queries, and finds a loop of single queries', async () => {
    const { queries, groups, totals } = await record(async (em) => {
      for (const id of [1, 2, 3]) await em.findOne('Account', { id });
      await em.count('Account');
      await em.count('Account');
    });
    assert.deepEqual([queries.length, totals.queries, totals.failed], [5, 5, 0]);
    assert.deepEqual(
      queries.map(({ rows }) => rows),
      [1, 1, 1, 1, 1],
    );
    assert.deepEqual(groups.map(({ kind, count }) => [kind, count]).toSorted(), [
      ['duplicate', 2],
      ['n+1', 3],
    ]);
    const loop = groups.find(({ kind }) => kind === 'n+1');
    assert.match(loop?.callSite?.file ?? '', /db-collector\.test\.js$/);
  });

  it("finds no repeated query in what versions need: lookback's own reads, and MikroORM's after an update", async () => {
    const { queries, groups, totals } = await record(async (em) => {
      const pages = ['a', 'b', 'c', 'd'].map((title) => em.create<Page>('Page', { title }));
      await em.flush();
      for (const page of pages) page.title += ', once';
      await em.flush();
      for (const page of pages) page.title += ', twice';
      await em.flush();
    });
    const own = queries.filter(({ sql }) => sql.includes('ext_versions'));
    assert.equal(own.length, 24);
    assert.ok(own.every(({ isOwn }) => isOwn === true));
    assert.equal(totals.own?.queries, 24);
    assert.ok(queries.length > 24);
    assert.ok(queries.every(({ sql, isOwn }) => isOwn !== true || sql.includes('ext_versions')));
    assert.deepEqual(groups, []);
  });

  it('has queries that its ORM explains', async () => {
    const { queries } = await record((em) => em.findOne('Account', { name: 'ada' }));
    const [query] = queries;
    const select = query === undefined ? undefined : readSelect(query);
    assert.ok(select !== undefined);
    const plan = await queryExplainer.explain(select);
    assert.match(plan.text, /SEARCH a0 USING .*INDEX/);
    assert.equal(plan.placeholders, 'values');
    assert.equal(queryExplainer.knows('another database'), false);
  });

  it('hides secret values, in statements, errors and changes', async () => {
    const section = await record(async (em) => {
      em.create('Account', { name: 'dan', password: 'hunter2' });
      await em.flush();
      const other = em.fork();
      other.create('Account', { name: 'dan', password: 'hunter3' });
      await assert.rejects(other.flush());
      await em.find('Account', { password: 'hunter4' });
    });
    assert.ok(!JSON.stringify(section).includes('hunter'), 'no secrets are recorded');
    assert.ok(JSON.stringify(section).includes('"dan"'));
    assert.match(
      section.queries.find(({ error }) => error !== null)?.error ?? '',
      /^UNIQUE constraint failed|^SQLITE_CONSTRAINT/,
    );
    assert.deepEqual(
      section.changes.map(({ action, entity, id }) => [action, entity, id]),
      [['create', 'Account', '4']],
    );
    const { failed, flushes, commits, rollbacks, created } = section.totals;
    assert.deepEqual([failed, flushes, commits, rollbacks, created], [1, 1, 1, 1, 1]);
  });

  it('keeps interleaved requests apart, and queries outside requests out', async () => {
    await persistence.forActor({}).count('Account');
    const sections = await Promise.all(
      [1, 2, 3, 4].map((count) =>
        record(async (em) => {
          for (let asked = 0; asked < count; asked++) await em.count('Account', { id: count });
        }),
      ),
    );
    assert.deepEqual(
      sections.map(({ totals }) => totals.queries),
      [1, 2, 3, 4],
    );
  });

  it('is limited, and reports the total number', async () => {
    const { queries, totals } = await record(async () => {
      for (let sent = 0; sent < 500; sent++) {
        channel('lookback:persistence:query').publish({
          sql: 'x'.repeat(100_000),
          params: Array(1000).fill('y'.repeat(10_000)),
          durationMs: 1,
        });
      }
    });
    assert.equal(totals.queries, 500);
    assert.ok(queries.length > 0 && JSON.stringify(queries).length <= dbLimits.queryBytes);
    const small = await record(async (em) => {
      for (let sent = 0; sent < 210; sent++) await em.count('Account');
    });
    assert.deepEqual([small.queries.length, small.totals.queries], [200, 210]);
    assert.deepEqual(
      small.groups.map(({ kind, count }) => [kind, count]),
      [['duplicate', 210]], // includes those beyond the 200 that are kept
    );
  });

  it('survives any published value', async () => {
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('trap');
        },
      },
    );
    const { totals } = await record(async () => {
      for (const message of [
        undefined,
        null,
        1,
        'x',
        [],
        {},
        hostile,
        { sql: 'select 1', durationMs: 1, params: hostile, callSite: [hostile] },
      ]) {
        for (const name of ['query', 'flush', 'change', 'transaction'])
          channel(`lookback:persistence:${name}`).publish(message);
      }
    });
    assert.deepEqual([totals.queries, totals.flushes], [1, 1], 'only the last message counts');
  });

  it('is shown by a panel with its queries', async () => {
    const db = await record(async (em) => {
      for (const id of [1, 2, 3]) await em.findOne('Account', { id });
    });
    const context = { editor: () => undefined, query: () => '', linkTo: () => '' } as never; // the panel needs nothing else
    const given = { sections: { db }, startedAt: Date.now() } as never; // the panel reads nothing else
    assert.deepEqual(dbPanel.badge(given), { count: 3, tone: 'warn', words: 'N+1 ×3' });
    const text = JSON.stringify(dbPanel.show(given, context));
    assert.match(text, /db-collector\.test/);
    for (const sections of [{}, { db: 1 }, { db: { queries: [] } }]) {
      assert.equal(dbPanel.badge({ sections } as never), undefined); // sections from other programs
    }
  });
});
