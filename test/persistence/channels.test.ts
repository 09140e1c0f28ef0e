import assert from 'node:assert/strict';
import type { Channel } from 'node:diagnostics_channel';
import { after, before, describe, it } from 'node:test';
import { MikroORM } from '@mikro-orm/libsql';
import {
  createPersistence,
  forkFor,
  persistenceChannels,
  traceQueries,
  withBehaviours,
} from '#framework/persistence';
import type { ChangeMessage, FlushMessage, QueryMessage, TransactionMessage } from '#framework/persistence';
import { Article, ArticleSchema, CategorySchema } from './journal-entities.js';
import { createTables } from './create-tables.js';

/** Subscribes to one channel while `work` runs. */
async function heard<Message>(channel: Channel, work: () => Promise<unknown>): Promise<Message[]> {
  const messages: Message[] = [];
  const listen = (message: unknown): void => void messages.push(message as Message); // each channel has one message type
  channel.subscribe(listen);
  try {
    await work();
  } finally {
    channel.unsubscribe(listen);
  }
  return messages;
}

describe('persistence channels', () => {
  let orm: MikroORM;
  before(async () => {
    orm = await MikroORM.init(
      withBehaviours({ dbName: ':memory:', entities: [ArticleSchema, CategorySchema] }),
    );
    await createTables(orm);
    traceQueries(orm);
    traceQueries(orm);
  });
  after(() => orm.close(true));

  const add = async (title: string): Promise<void> => {
    const em = forkFor(orm.em, {});
    em.create(Article, { title, body: 'secret' });
    await em.flush();
  };

  it('publishes each query once, with values, rows, time and caller', async () => {
    await add('Queried');
    async function askForIt(): Promise<void> {
      await forkFor(orm.em, {}).find(Article, { title: 'Queried' });
    }
    const [query, ...more] = await heard<QueryMessage>(persistenceChannels.query, askForIt);
    assert.deepEqual(more, []);
    assert.ok(query !== undefined);
    assert.match(query.sql, /^select .* where .*`title` = \?/);
    assert.ok(query.params.includes('Queried'));
    assert.deepEqual([query.rows, query.error, query.connection], [1, undefined, ':memory:']);
    assert.ok(query.durationMs > 0);
    assert.equal(query.callSite[0]?.name, 'askForIt');
    assert.match(query.callSite[0]?.file ?? '', /channels\.test\.js$/);
    assert.ok(
      query.callSite.length <= 12 && query.callSite.every(({ file }) => !file.includes('node_modules')),
    );
  });

  it('publishes the caller of every statement that a flush sends', async () => {
    async function writeAll(): Promise<void> {
      const em = forkFor(orm.em, {});
      const write = async (...titles: readonly string[]): Promise<Article[]> => {
        const articles = titles.map((title) => em.create(Article, { title, body: '' }));
        await em.flush();
        return articles;
      };
      await write('Alone');
      const articles = await write('One', 'Two', 'Three');
      for (const article of articles) article.body = 'new';
      await em.flush();
      const [first] = articles;
      assert.ok(first !== undefined);
      first.body = 'newer';
      await em.flush();
      await em.remove(first).flush();
      await em.transactional(async (inner) => {
        inner.create(Article, { title: 'Last', body: '' });
      });
    }
    for (const _time of [1, 2, 3, 4, 5]) {
      const written = await heard<QueryMessage>(persistenceChannels.query, writeAll);
      assert.deepEqual(
        written.flatMap(({ sql }) => /^(\w+) (?:into |from )?`article`/.exec(sql)?.[1] ?? []),
        ['insert', 'insert', 'update', 'update', 'delete', 'insert'],
      );
      for (const { sql, callSite } of written) {
        assert.ok(
          callSite.some(({ name }) => name === 'writeAll'),
          sql,
        );
        assert.match(callSite[0]?.file ?? '', /channels\.test\.js$/, sql);
      }
    }
  });

  it('a statement repeated at the same call site is published with the cached caller, and marked accordingly', async () => {
    async function askAgain(): Promise<void> {
      const em = forkFor(orm.em, {});
      for (let id = 1; id <= 5; id++) await em.getConnection().execute('select ? as again', [id]);
    }
    const asked = await heard<QueryMessage>(persistenceChannels.query, askAgain);
    assert.deepEqual(
      asked.map(({ isRemembered }) => isRemembered),
      [false, false, false, true, true],
    );
    assert.ok(asked.every(({ callSite: [site] }) => site?.name === 'askAgain'));
  });

  it('determines the caller again for a statement that failed', async () => {
    const lookedAt = async (sql: string, ...values: readonly unknown[]): Promise<readonly boolean[]> => {
      const { length } = values;
      async function askOften(): Promise<void> {
        for (let time = 0; time < length; time++)
          await orm.em
            .fork()
            .getConnection()
            .execute(sql, [values[time]])
            .catch(() => undefined);
      }
      const asked = await heard<QueryMessage>(persistenceChannels.query, askOften);
      return asked.map(({ isRemembered }) => !isRemembered);
    };
    const values = ['1', '2', '3', '4', 'no JSON', '6'];
    const [, , , quick, failed, after] = await lookedAt('select json(?) as a', ...values);
    assert.deepEqual([quick, failed, after], [false, false, true]);
  });

  it('publishes the number of rows read or written, including one and none', async () => {
    const connection = orm.em.fork().getConnection();
    const rowsOf = async (sql: string, method: 'all' | 'get' | 'run'): Promise<unknown> => {
      const run = (): Promise<unknown> => connection.execute(sql, [], method);
      return (await heard<QueryMessage>(persistenceChannels.query, run))[0]?.rows;
    };
    await add('Counted');
    await add('Counted');
    assert.equal(await rowsOf(`select 1 from article where title = 'Counted'`, 'all'), 2);
    assert.equal(await rowsOf(`select 1 as one`, 'get'), 1);
    assert.equal(await rowsOf(`select 1 as one where 0`, 'get'), 0);
    assert.equal(await rowsOf(`update article set body = 'x' where title = 'Counted'`, 'run'), 2);
    assert.equal(await rowsOf(`delete from article where title = 'Counted'`, 'run'), 2);
  });

  it('publishes a query that failed', async () => {
    const [query] = await heard<QueryMessage>(persistenceChannels.query, () =>
      assert.rejects(forkFor(orm.em, {}).getConnection().execute('select * from nowhere')),
    );
    assert.match(String(query?.error), /nowhere/);
    assert.equal(query?.rows, undefined);
  });

  it('publishes flushes, transactions and changed entities', async () => {
    const flushes = await heard<FlushMessage>(persistenceChannels.flush, () => add('Flushed'));
    assert.deepEqual(
      flushes.map(({ created, updated, removed }) => [created, updated, removed]),
      [[1, 0, 0]],
    );
    const kinds = await heard<TransactionMessage>(persistenceChannels.transaction, () => add('Begun'));
    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      ['begin', 'commit'],
    );
    const changes = await heard<ChangeMessage>(persistenceChannels.change, () => add('Changed'));
    assert.deepEqual(
      changes.map(({ action, entity, values }) => [action, entity, values['title']]),
      [['create', 'Article', 'Changed']],
    );
    assert.match(changes[0]?.id ?? '', /^\d+$/);
    const rolledBack = await heard<TransactionMessage>(persistenceChannels.transaction, () =>
      assert.rejects(
        forkFor(orm.em, {}).transactional(async () => {
          throw new Error('no');
        }),
      ),
    );
    assert.deepEqual(
      rolledBack.map(({ kind }) => kind),
      ['begin', 'rollback'],
    );
  });

  it('publishes what a flush changed and removed, and durations from its beginning', async () => {
    const em = forkFor(orm.em, {});
    const [one, other] = ['One', 'Other'].map((title) => em.create(Article, { title, body: '' }));
    await em.flush();
    const change = async (): Promise<void> => {
      if (one !== undefined) one.title = 'Changed';
      if (other !== undefined) em.remove(other);
      await em.flush();
    };
    const flushes: FlushMessage[] = [];
    const transactions: TransactionMessage[] = [];
    const began = performance.now();
    const changes = await heard<ChangeMessage>(persistenceChannels.change, async () => {
      transactions.push(
        ...(await heard<TransactionMessage>(persistenceChannels.transaction, async () => {
          flushes.push(...(await heard<FlushMessage>(persistenceChannels.flush, change)));
        })),
      );
    });
    const passed = performance.now() - began;
    assert.deepEqual(changes.map(({ action }) => action).toSorted(), ['remove', 'update']);
    assert.deepEqual(
      flushes.map(({ created, updated, removed }) => [created, updated, removed]),
      [[0, 1, 1]],
    );
    const [begin, commit] = transactions.map(({ durationMs }) => durationMs);
    assert.equal(begin, 0);
    for (const duration of [commit, flushes[0]?.durationMs])
      assert.ok(duration !== undefined && duration > 0 && duration < passed, `${duration} of ${passed}`);
  });

  it('offers an ORM for plans until it is closed', async () => {
    const second = await MikroORM.init(withBehaviours({ dbName: ':memory:', entities: [CategorySchema] }));
    const persistence = createPersistence({ orm: second });
    const offered = (connection: string): boolean => {
      const given: object[] = [];
      persistenceChannels.explain.publish({ connection, offer: (one: object) => given.push(one) });
      return given.includes(second);
    };
    assert.deepEqual([offered(':memory:'), offered('other')], [true, false]);
    await persistence.close();
    assert.deepEqual([offered(':memory:'), await second.isConnected()], [false, false]);
  });

  it('leaves stack traces unchanged', async () => {
    const { stackTraceLimit, prepareStackTrace } = Error;
    await heard(persistenceChannels.query, () => add('Traced'));
    assert.deepEqual([Error.stackTraceLimit, Error.prepareStackTrace], [stackTraceLimit, prepareStackTrace]);
  });
});
