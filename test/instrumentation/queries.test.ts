import { after, before, describe } from 'node:test';
import { type EventEmitter, once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import { drizzle as drizzlePostgres } from 'drizzle-orm/postgres-js';
import { sql as drizzleSql } from 'drizzle-orm';
import knex from 'knex';
import { Kysely, PostgresDialect, sql as kyselySql } from 'kysely';
import mysql from 'mysql2';
import { Client, Pool } from 'pg';
import postgres from 'postgres';
import { DatabaseSync } from '@photostructure/sqlite';
import { startInstrumentations, type StartedInstrumentations } from '#profiler/instrumentation';
import { startPostgres, type TestPostgres } from '../persistence/start-postgres.js';
import { describeQueries } from './query-contract.js';

describe('instrumentations of queries', () => {
  let server: TestPostgres;
  let instrumentations: StartedInstrumentations;
  before(async () => {
    instrumentations = startInstrumentations();
    server = await startPostgres();
    await server.createDatabase('queries');
    const client = new Client(connection());
    await client.connect();
    await client.query('create table people (name text, password text)');
    await client.end();
  });
  after(async () => {
    instrumentations.stop();
    await server.stop();
  });
  const connection = (): {
    host: string;
    port: number;
    user: string;
    password: string;
    database: string;
  } => ({
    host: '127.0.0.1',
    port: server.port,
    user: 'postgres',
    password: 'postgres',
    database: 'queries',
  });

  const asked = 'select $1::int as n';
  const secret = 'select name from people where password = $1';
  const missing = 'select 1 from missing_table';

  describeQueries({
    name: 'pg, a pool',
    async start() {
      const pool = new Pool({ ...connection(), max: 2 });
      return {
        target: pool,
        ask: async (client: Pool, value) => (await client.query(asked, [value])).rows[0].n,
        askSecret: (client: Pool, password) => client.query(secret, [password]),
        fail: (client: Pool) => client.query(missing),
        async transaction(client: Pool, value) {
          const one = await client.connect();
          await one.query('begin');
          await one.query(asked, [value]);
          await one.query({ text: asked, values: [value + 1] });
          await one.query('commit');
          one.release();
        },
        stop: () => pool.end(),
      };
    },
  });

  describeQueries({
    name: 'pg, a pool asked with callbacks',
    async start() {
      const pool = new Pool({ ...connection(), max: 2 });
      const ask = (client: { query: Pool['query'] }, text: string, values: unknown[]): Promise<unknown> =>
        new Promise((resolve, reject) =>
          client.query(text, values, (error: Error, result) =>
            error ? reject(error) : resolve(result.rows[0]?.n),
          ),
        );
      return {
        target: pool,
        // A pooled client sends one query in the callback of another.
        ask: (client: Pool, value) =>
          new Promise((resolve, reject) =>
            client.connect((error, one, release) => {
              if (error || one === undefined) return reject(error);
              ask(one, asked, [value])
                .finally(() => release())
                .then(resolve, reject);
            }),
          ),
        askSecret: (client: Pool, password) => ask(client, secret, [password]),
        fail: (client: Pool) => ask(client, missing, []),
        stop: () => pool.end(),
      };
    },
  });

  describeQueries({
    name: 'pg, a client',
    async start() {
      const client = new Client(connection());
      await client.connect();
      return {
        target: client,
        ask: async (one: Client, value) => (await one.query(asked, [value])).rows[0].n,
        askSecret: (one: Client, password) => one.query({ text: secret, values: [password] }),
        fail: (one: Client) => one.query(missing),
        stop: () => client.end(),
      };
    },
  });

  describeQueries({
    name: 'postgres.js',
    async start() {
      const sql = postgres({ ...connection(), max: 2 });
      type Sql = typeof sql;
      return {
        target: sql,
        isAutomatic: true,
        hasOwnLocations: true,
        ask: async (one: Sql, value) => (await one`select ${value}::int as n`)[0]?.['n'],
        askSecret: async (one: Sql, password) =>
          one`select name from people where ${one`password = ${password}`}`,
        fail: async (one: Sql) => one.unsafe(missing),
        transaction: (one: Sql, value) =>
          one.begin(async (inner) => {
            await inner`select ${value}::int as n`;
            await inner`select ${value + 1}::int as n`;
          }),
        stop: () => sql.end(),
      };
    },
  });

  describeQueries({
    name: 'Knex',
    async start() {
      const target = knex({ client: 'pg', connection: connection(), pool: { min: 0, max: 2 } });
      type Knex = typeof target;
      return {
        target,
        ask: async (one: Knex, value) => (await one.raw('select ?::int as n', [value])).rows[0].n,
        askSecret: async (one: Knex, password) => one('people').select('name').where({ password }),
        fail: async (one: Knex) => one('missing_table').select(),
        transaction: (one: Knex, value) =>
          one.transaction(async (inner) => {
            await inner.raw('select ?::int as n', [value]);
            await inner.raw('select ?::int as n', [value + 1]);
          }),
        stop: () => target.destroy(),
      };
    },
  });

  describeQueries({
    name: 'Kysely',
    async start() {
      const pool = new Pool({ ...connection(), max: 2 });
      const target = new Kysely<{ people: { name: string; password: string } }>({
        dialect: new PostgresDialect({ pool }),
      });
      type Db = typeof target;
      const ask = async (one: Db, value: number): Promise<unknown> =>
        (await kyselySql<{ n: number }>`select ${value}::int as n`.execute(one)).rows[0]?.n;
      return {
        target,
        ask,
        askSecret: (one: Db, password) =>
          one.selectFrom('people').select('name').where('password', '=', password).execute(),
        fail: (one: Db) => kyselySql.raw(missing).execute(one),
        transaction: (one: Db, value) =>
          one.transaction().execute(async (inner) => {
            await ask(inner, value);
            await ask(inner, value + 1);
          }),
        stop: () => target.destroy(),
      };
    },
  });

  describeQueries({
    name: 'Drizzle on pg',
    async start() {
      const pool = new Pool({ ...connection(), max: 2 });
      const target = drizzlePg(pool);
      type Db = typeof target;
      return {
        target,
        isLazy: true,
        ask: async (one: Db, value) =>
          (await one.execute(drizzleSql`select ${value}::int as n`)).rows[0]?.['n'],
        askSecret: async (one: Db, password) =>
          one.execute(drizzleSql`select name from people where password = ${password}`),
        fail: async (one: Db) => one.execute(drizzleSql.raw(missing)),
        transaction: (one: Db, value) =>
          one.transaction(async (inner) => {
            await inner.execute(drizzleSql`select ${value}::int as n`);
            await inner.execute(drizzleSql`select ${value + 1}::int as n`);
          }),
        stop: () => pool.end(),
      };
    },
  });

  describeQueries({
    name: 'Drizzle on postgres.js',
    async start() {
      const sql = postgres({ ...connection(), max: 2 });
      const target = drizzlePostgres(sql);
      type Db = typeof target;
      return {
        target,
        isAutomatic: true,
        isLazy: true,
        ask: async (one: Db, value) => (await one.execute(drizzleSql`select ${value}::int as n`))[0]?.['n'],
        askSecret: async (one: Db, password) =>
          one.execute(drizzleSql`select name from people where password = ${password}`),
        fail: async (one: Db) => one.execute(drizzleSql.raw(missing)),
        stop: () => sql.end(),
      };
    },
  });

  describeQueries({
    name: 'a database with the interface of node:sqlite and better-sqlite3',
    async start() {
      const database = new DatabaseSync(':memory:');
      type Database = typeof database;
      database.exec('create table people (name text, password text)');
      return {
        target: database,
        ask: async (one: Database, value) => (one.prepare('select ? as n').get(value) as { n: number }).n, // from the statement
        askSecret: async (one: Database, password) =>
          one.prepare('select name from people where password = ?').all(password),
        fail: async (one: Database) => one.prepare(missing).all(),
        async transaction(one: Database, value) {
          one.exec('begin');
          for (const n of [value, value + 1]) one.prepare('select ? as n').all(n);
          one.exec('commit');
        },
        stop: async () => database.close(),
      };
    },
  });

  describeQueries({
    name: 'mysql2, by its channels',
    async start() {
      const mysqlServer = startMysql();
      await once(mysqlServer._server as unknown as EventEmitter, 'listening'); // a net.Server
      const { port } = mysqlServer._server.address();
      const pool = mysql.createPool({ host: '127.0.0.1', port, user: 'root', connectionLimit: 2 }).promise();
      return {
        target: pool,
        isAutomatic: true,
        ask: async (one: typeof pool, value) => {
          const [rows] = await one.query('select ? as n', [value]);
          return (rows as { n: number }[])[0]?.n; // the rows of the server below
        },
        askSecret: (one: typeof pool, password) =>
          one.query('select name from people where password = ?', [password]),
        fail: (one: typeof pool) => one.query(missing),
        async stop() {
          await pool.end();
          mysqlServer.close();
        },
      };
    },
  });
});

type MysqlConnection = mysql.Connection & { stream: Socket } & Record<string, (...args: unknown[]) => void>;

interface MysqlServer extends EventEmitter {
  readonly _server: { address(): AddressInfo };
  listen(port: number, host: string): void;
  close(): void;
}

/** The MySQL wire protocol, with mysql2's own server: answers the contract's statements. */
function startMysql(): MysqlServer {
  const server = (mysql as unknown as { createServer(): MysqlServer }).createServer(); // its types require a listener
  server.on('connection', (connection: MysqlConnection) => {
    connection['serverHandshake']?.({
      protocolVersion: 10,
      serverVersion: '8.0',
      connectionId: 1,
      statusFlags: 2,
      characterSet: 45,
      capabilityFlags: 0xffffff ^ 0x00000800,
    });
    connection.on('error', () => undefined);
    // Disables Nagle's algorithm: mysql2 writes packets one by one, so each response would wait 40 ms for an acknowledgement.
    connection.stream.setNoDelay(true);
    connection.on('query', (sql: string) => {
      const isMissing = sql.includes('missing_table');
      if (isMissing)
        connection['writeError']?.({ code: 1146, message: "Table 'missing_table' doesn't exist" });
      const n = /select (\d+)/.exec(sql)?.[1] ?? 'none';
      const column = {
        catalog: 'def',
        schema: '',
        table: '',
        orgTable: '',
        name: 'n',
        orgName: 'n',
        characterSet: 63,
        columnLength: 11,
        columnType: 3,
        flags: 129,
        decimals: 0,
      };
      if (!isMissing) connection['writeTextResult']?.([{ n }], [column]);
      Reflect.set(connection, 'sequenceId', 0); // every command restarts the sequence
    });
  });
  server.listen(0, '127.0.0.1');
  return server;
}
