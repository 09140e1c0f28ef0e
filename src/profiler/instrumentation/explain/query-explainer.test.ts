import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keepClient } from '../queries/query-clients.js';
import { openSession } from './database-session.js';
import { queryExplainer } from './query-explainer.js';

type Row = Readonly<Record<string, unknown>>;

/** A client with one connection shaped like pg's: the queries it received, and its answers. */
function pgClient(answer: (sql: string) => readonly Row[] | Promise<never>): {
  asked: unknown[];
  connectionParameters: object;
  query: (sql: string, values?: unknown) => Promise<{ rows: readonly Row[] }>;
} {
  const asked: unknown[] = [];
  return {
    asked,
    connectionParameters: {},
    async query(sql, values) {
      asked.push(values === undefined ? sql : [sql, values]);
      return { rows: await answer(sql) };
    },
  };
}

/** A pool of such a client. */
function pgPool(client: object): {
  totalCount: number;
  connect: () => Promise<object>;
  query: () => void;
  released: unknown[];
} {
  const released: unknown[] = [];
  return {
    released,
    totalCount: 1,
    connect: async () => Object.assign(client, { release: (isLate: unknown) => void released.push(isLate) }),
    query: () => undefined,
  };
}

const select = {
  sql: 'select * from t where a = $1',
  numbered: 'select * from t where a = $1',
  bare: 'select * from t where a = null',
  hasPlaceholders: true,
};
let connections = 0;
/** Explains with these clients of one connection, the last one first. */
const explain = async (
  clients: object | readonly object[],
  query: Partial<Parameters<typeof queryExplainer.explain>[0]> = {},
) => {
  const connection = `test explain ${++connections}`;
  for (const client of [clients].flat()) keepClient(connection, client);
  return queryExplainer.explain({ connection, ...select, values: [7], ...query });
};

describe('query plans', () => {
  it('of PostgreSQL are read in a read-only transaction that is rolled back, on a separate connection', async () => {
    const client = pgClient(() => [{ 'QUERY PLAN': 'Seq Scan on t' }, { 'QUERY PLAN': '  Filter: a' }]);
    const pool = pgPool(client);
    assert.deepEqual(await explain(pool), { text: 'Seq Scan on t\n  Filter: a', placeholders: 'values' });
    assert.deepEqual(client.asked, [
      'begin read only',
      'set local statement_timeout = 2000',
      [`explain ${select.numbered}`, [7]],
      'rollback',
    ]);
    assert.deepEqual(pool.released, [false]);
  });

  it('of PostgreSQL without values are generic if the server supports that, otherwise for NULL', async () => {
    for (const [version, text, placeholders] of [
      ['160002', `explain (generic_plan) ${select.numbered}`, 'any'],
      ['150004', `explain ${select.bare}`, 'null'],
    ] as const) {
      const client = pgClient((sql) => [
        sql.startsWith('show') ? { server_version_num: version } : { plan: 'Scan' },
      ]);
      const plan = await explain(pgPool(client), { values: undefined });
      assert.equal(plan.placeholders, placeholders);
      assert.deepEqual(client.asked.at(-2), [text, []].slice(0, 1)[0]);
    }
  });

  it('are rolled back if the database refuses, and the next client with that name is tried', async () => {
    const good = pgPool(pgClient(() => [{ plan: 'Scan' }]));
    const client = pgClient((sql) =>
      sql.startsWith('explain') ? Promise.reject(new Error('no table')) : [],
    );
    assert.equal((await explain([good, pgPool(client)])).text, 'Scan');
    assert.equal(client.asked.at(-1), 'rollback');
    await assert.rejects(explain(pgPool(client)), /no table/);
  });

  it('are a table for MySQL, and a tree with depths for SQLite', async () => {
    const rows = [
      { id: 1, table: 'people', rows: 12, key: null },
      { id: 12, table: 't', rows: 3n, key: 'by_name' },
    ];
    const mysql = { threadId: 1, execute: () => undefined, query: async () => [rows, []] };
    assert.equal(
      (await explain(mysql)).text,
      ['id  table   rows  key', '1   people  12    –', '12  t       3     by_name'].join('\n'),
    );
    let given: unknown[] = [];
    const sqlite = {
      exec: () => undefined,
      prepare: () => ({
        all(...values: unknown[]) {
          given = values;
          return [
            { id: 2, parent: 0, detail: 'SCAN t' },
            { id: 5, parent: 2, detail: 'LIST SUBQUERY' },
            { id: 9, parent: 5, detail: 'SCAN u' },
          ];
        },
      }),
    };
    assert.equal(
      (await explain(sqlite, { values: [true, 'a'] })).text,
      'SCAN t\n  LIST SUBQUERY\n    SCAN u',
    );
    assert.deepEqual(given, [1, 'a']);
  });

  it('are truncated with a note if they are endless', async () => {
    const { text } = await explain(pgClient(() => [{ plan: 'x'.repeat(16_050) }]));
    assert.match(text, /x\n… 50 more characters$/);
  });

  it('are unavailable without a client that can plan', async () => {
    await assert.rejects(queryExplainer.explain({ connection: 'nobody', ...select, values: [] }), {
      code: 'INSTRUMENTATION_NO_CLIENT',
    });
    await assert.rejects(explain({}), { code: 'INSTRUMENTATION_NO_PLANS' });
    assert.equal(queryExplainer.knows('nobody'), false);
  });
});

describe('a connection for a plan', () => {
  it('is taken from the client below an ORM', async () => {
    const client = pgClient(() => [{ one: 1 }]);
    const drizzle = { $client: client, select: () => undefined };
    const typeorm = {
      createQueryRunner: () => undefined,
      initialize: () => undefined,
      driver: { master: client },
    };
    const mikro = {
      em: { getConnection: () => ({ getKnex: () => undefined, getClient: () => drizzle }) },
      config: {},
    };
    for (const orm of [drizzle, typeorm, mikro]) {
      const session = await openSession(orm);
      assert.equal(session?.system, 'postgresql');
      assert.deepEqual(await session?.query('select 1'), [{ one: 1 }]);
    }
  });

  it('is returned if Knex hands out an unknown kind', async () => {
    const released: unknown[] = [];
    const connection = { unknown: true };
    const knex = {
      raw: () => undefined,
      client: {
        acquireConnection: async () => connection,
        releaseConnection: (given: unknown) => void released.push(given),
      },
    };
    assert.equal(await openSession(knex), undefined);
    assert.deepEqual(released, [connection]);
  });

  it('does not exist for anything but a client', async () => {
    for (const other of [undefined, null, 7, 'pg', {}, [], () => undefined, { query: 1 }])
      assert.equal(await openSession(other), undefined);
  });

  it('of Kysely is held until it is released', async () => {
    class PostgresAdapter {}
    let isHeld = false;
    const connection = { executeQuery: async ({ sql }: { sql: string }) => ({ rows: [{ sql }] }) };
    const executor = {
      adapter: new PostgresAdapter(),
      async provideConnection(use: (given: object) => Promise<void>) {
        isHeld = true;
        await use(connection);
        isHeld = false;
      },
    };
    const session = await openSession({ getExecutor: () => executor, selectFrom: () => undefined });
    assert.deepEqual(await session?.query('select 1'), [{ sql: 'select 1' }]);
    assert.equal(isHeld, true);
    await session?.release({ isLate: false });
    await new Promise(setImmediate);
    assert.equal(isHeld, false);
  });
});

it('postgres.js explains on a reserved connection, which is released, not on one of the pool', async () => {
  const asked: string[] = [];
  const connection = (name: string): object => ({
    unsafe: (sql: string) => {
      asked.push(`${name}: ${sql}`);
      return Promise.resolve([]);
    },
    release: () => void asked.push(`${name}: released`),
  });
  const sql = Object.assign(() => undefined, connection('pool'), {
    reserve: () => Promise.resolve(connection('reserved')),
    begin: () => undefined,
  });
  const session = await openSession(sql);
  await session?.query('select 1');
  await session?.release({ isLate: false });
  assert.deepEqual(asked, ['reserved: select 1', 'reserved: released']);
});
