import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import postgres from 'postgres';
import { DatabaseSync } from '@photostructure/sqlite';
import {
  recordQueries,
  startInstrumentations,
  type StartedInstrumentations,
} from '#profiler/instrumentation';
import type { DbSection } from '#profiler';
import { startPostgres, type TestPostgres } from '../persistence/start-postgres.js';
import { createRecorderBench, dbOf, type RecorderBench } from './recorder-bench.js';

type Query = DbSection['queries'][number];
type Callback = (error: Error | null, result?: unknown) => void;

const slow = 'select pg_sleep(0.1), 1 as one';
const missing = 'select 1 from missing_table';

/** Sends a statement with the simple protocol, in a class that pg does not know, like pg-cursor and pg-query-stream. */
class OwnQuery extends EventEmitter {
  readonly text: string;
  readonly cursor = { close: (): void => void this.emit('closed') };
  constructor(text: string) {
    super();
    this.text = text;
  }
  submit(connection: { query(text: string): void }): void {
    connection.query(this.text);
  }
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handleReadyForQuery(): void {
    this.emit('over');
  }
  handleError(error: Error): void {
    this.emit('broken', error); // without an `error` event, like a cursor without listeners
  }
}

describe('pg and postgres.js queries in every form', () => {
  let server: TestPostgres;
  let instrumentations: StartedInstrumentations;
  let bench: RecorderBench;
  let client: pg.Client;
  let sql: postgres.Sql;
  before(async () => {
    instrumentations = startInstrumentations();
    server = await startPostgres();
    const connection = { host: '127.0.0.1', port: server.port, user: 'postgres', password: 'postgres' };
    client = recordQueries(new pg.Client({ ...connection, database: 'postgres' }));
    await client.connect();
    sql = recordQueries(postgres({ ...connection, database: 'postgres', max: 1 }));
    await sql`select 1`;
    bench = createRecorderBench();
  });
  after(async () => {
    instrumentations.stop();
    await Promise.all([client.end(), sql.end(), bench.close()]);
    await server.stop();
  });

  /** Returns the only query that `work` sends. */
  async function queryOf(work: () => Promise<unknown>): Promise<Query> {
    const { queries, totals } = dbOf(await bench.record(() => work().catch(() => undefined)));
    assert.equal(totals.queries, 1);
    const [query] = queries;
    assert.ok(query !== undefined);
    assert.equal(query.isOpen, undefined, 'the query has ended');
    assert.equal(totals.failed, query.error === null ? 0 : 1);
    return query;
  }
  const called = (send: (callback: Callback) => unknown): Promise<unknown> =>
    new Promise((resolve, reject) =>
      send((error, result) => (error === null || error === undefined ? resolve(result) : reject(error))),
    );
  const sent = (text: string): Promise<unknown> => {
    const own = new OwnQuery(text);
    const over = new Promise((resolve) => own.on('over', resolve).on('broken', resolve));
    client.query(own as never); // its types accept only its own classes
    return over;
  };

  const forms: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
    'a callback in its configuration': (text) =>
      called((callback) => client.query({ text, values: [], callback } as never)), // a documented option without a type
    'a callback after its configuration': (text) =>
      called((callback) => client.query({ text }, callback as never)), // as pg calls it
    'a Query with a callback': (text) =>
      called((callback) => client.query(new pg.Query(text, callback as never))), // as pg calls it
    'a Query with listeners': (text) =>
      new Promise((resolve, reject) =>
        client.query(new pg.Query(text)).on('end', resolve).on('error', reject),
      ),
    'an object of another class, such as a cursor': sent,
  };
  for (const [form, ask] of Object.entries(forms)) {
    it(`have the duration and rows of ${form}`, async () => {
      const { rows, durationMs, error, callSite } = await queryOf(() => ask(slow));
      assert.deepEqual([rows, error], [1, null]);
      assert.ok(durationMs >= 95, `${durationMs}`);
      assert.match(callSite[0]?.file ?? '', /query-forms\.test\.js$/);
    });
    it(`have the error of ${form}`, async () => {
      assert.match((await queryOf(() => ask(missing))).error ?? '', /missing_table/);
    });
  }

  it("leave the application's configuration unchanged", async () => {
    let calls = 0;
    const config = { text: 'select 1', callback: (): unknown => calls++ };
    const { callback } = config;
    await bench.record(async () => {
      client.query(config as never); // see above
      await client.query('select 2'); // answered after the one above
    });
    assert.deepEqual([config.callback, calls], [callback, 1]);
  });

  it('a stream closed before its last row counts the rows received so far', async () => {
    const own = new OwnQuery('select n from generate_series(1, 3) n');
    const query = await queryOf(async () => {
      client.query(own as never); // see above
      await once(own, 'over');
    });
    assert.equal(query.rows, 3);
    const left = new OwnQuery(slow);
    const record = await bench.record(() => {
      client.query(left as never); // see above
      left.cursor.close();
    });
    assert.deepEqual(
      dbOf(record).queries.map(({ rows, isOpen }) => [rows, isOpen]),
      [[0, undefined]],
    );
    await once(left, 'over');
  });

  it('postgres.js cursors have all their rows', async () => {
    const numbers = (): postgres.PendingQuery<postgres.Row[]> => sql`select n from generate_series(1, 30) n`;
    const read = await queryOf(async () => {
      let count = 0;
      for await (const rows of numbers().cursor(10)) count += rows.length;
      assert.equal(count, 30);
    });
    assert.deepEqual([read.rows, read.error], [30, null]);
    assert.equal((await queryOf(() => numbers().cursor(7, async () => undefined))).rows, 30);
    const failed = await queryOf(async () => {
      for await (const rows of sql`select 1 / (3 - n) from generate_series(1, 9) n`.cursor(1)) void rows;
    });
    assert.match(failed.error ?? '', /division by zero/);
  });
});

describe('SQLite rows that are read one by one', () => {
  const database = recordQueries(new DatabaseSync(':memory:'));
  const bench = createRecorderBench();
  after(async () => {
    database.close();
    await bench.close();
  });
  const statement = database.prepare('values (1), (2), (3)');
  for (const [what, read, expected] of [
    ['to the end', () => [...statement.iterate()].length, 3],
    ['until the application leaves', readFirst, 1],
  ] as const)
    it(`are counted ${what}`, async () => {
      const { queries } = dbOf(await bench.record(read));
      assert.deepEqual(
        queries.map(({ rows, error, isOpen }) => [rows, error, isOpen]),
        [[expected, null, undefined]],
      );
    });
  function readFirst(): void {
    for (const row of statement.iterate()) if (row !== undefined) break;
  }
});

describe('a libsql statement', () => {
  type Statement = Record<'all' | 'get' | 'run', () => unknown> & { iterate(): Iterable<unknown> };
  interface Database {
    prepare(sql: string): Statement;
    close(): void;
  }
  // Installed by MikroORM's driver.
  const drivers = createRequire(createRequire(import.meta.url).resolve('@mikro-orm/libsql'));
  const libsql = drivers('libsql') as new (name: string) => Database; // it has no types here
  const database = recordQueries(new libsql(':memory:'));
  const bench = createRecorderBench();
  after(async () => {
    database.close();
    await bench.close();
  });
  const values = database.prepare('select * from (values (1), (2), (3))');
  const create = database.prepare('create table if not exists item (id integer)');
  for (const [name, run, rows] of [
    ['all', () => values.all(), 3],
    ['get', () => values.get(), 1],
    ['iterate', () => [...values.iterate()], 3],
    ['run', () => create.run(), 0],
  ] as const)
    it(`is one query with its rows, run with \`${name}\``, async () => {
      const { queries } = dbOf(
        await bench.record(() => {
          run();
          run();
        }),
      );
      assert.deepEqual(
        queries.map(({ rows: counted, error }) => [counted, error]),
        [
          [rows, null],
          [rows, null],
        ],
      );
    });
});
