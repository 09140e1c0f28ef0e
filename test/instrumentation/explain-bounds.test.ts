import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createPool, type Pool } from 'mysql2/promise';
import pg from 'pg';
import { queryExplainer } from '#profiler/instrumentation';
import { keepClient } from '../../src/profiler/instrumentation/queries/query-clients.js';
import { findPostgres, type StorePostgres } from '../profiler/store-servers.js';

/** This machine's MariaDB; undefined if there is none. */
async function findMariaDb(): Promise<Pool | undefined> {
  const pool = createPool({ host: '127.0.0.1', user: 'root', connectTimeout: 1000, connectionLimit: 1 });
  try {
    await pool.query('select 1');
    return pool;
  } catch {
    await pool.end();
    return undefined;
  }
}

const explain = (connection: string, sql: string): ReturnType<typeof queryExplainer.explain> =>
  queryExplainer.explain({ connection, sql, numbered: sql, bare: sql, hasPlaceholders: false, values: [] });

describe('a plan that takes long to compute', () => {
  let server: StorePostgres;
  let postgres: pg.Pool;
  const mariaDb = findMariaDb();
  before(async () => {
    server = await findPostgres();
    postgres = new pg.Pool({ connectionString: server.address });
    // A connection that the pool has dropped may still be open when the server ends.
    postgres.on('connect', (client) => client.on('error', () => undefined));
    keepClient('slow postgres', postgres);
  });
  after(async () => {
    await postgres.end();
    await server.stop();
    await (await mariaDb)?.end();
  });

  it('is ended by PostgreSQL, which evaluates functions declared immutable', async () => {
    await server.query(
      "create function slow(int) returns int language sql immutable as 'select 1 from pg_sleep(30)'",
    );
    await assert.rejects(explain('slow postgres', 'select slow(1)'), /statement timeout/);
    const { text } = await explain('slow postgres', 'select 1');
    assert.match(text, /Result/);
  });

  it('is ended by MariaDB, which evaluates derived tables', async (context) => {
    const pool = await mariaDb;
    if (pool === undefined) return context.skip('no MariaDB on this machine');
    keepClient('slow mariadb', pool);
    await assert.rejects(explain('slow mariadb', 'select * from (select sleep(30)) t'), /max_statement_time/);
    const { text } = await explain('slow mariadb', 'select * from (select 1 as a) t');
    assert.match(text, /DERIVED/);
  });
});
