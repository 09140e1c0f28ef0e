import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { Redis } from 'ioredis';
import pg from 'pg';
import {
  createLinkUses,
  createLoginThrottle,
  createMemoryCountStore,
  createMemoryRememberMeStore,
  createMemorySessionStore,
  createPostgresRememberMeStore,
  createPostgresSessionStore,
  createRedisRememberMeStore,
  createRedisSessionStore,
  createSqliteRememberMeStore,
  createSqliteSessionStore,
  type CountStore,
  type LoginThrottle,
  type RememberMeStore,
  type SessionStore,
} from '#security';
import {
  checkCountStore,
  checkLinkUses,
  checkLoginThrottle,
  checkRememberMeStore,
  checkSessionStore,
} from '#testing';
import { startPostgres, type TestPostgres } from '../persistence/start-postgres.js';
import { countTogether } from './session-app.js';
import { startRedis, type TestRedis } from './start-redis.js';

function sessionContract(open: () => SessionStore): void {
  for (const { name, run } of checkSessionStore(open)) it(`sessions: ${name}`, run);
}

function rememberContract(open: () => RememberMeStore): void {
  for (const { name, run } of checkRememberMeStore(open)) it(`remembered logins: ${name}`, run);
}

/** What counts, and the throttle and the links that count in it. */
function countContract(open: () => CountStore | undefined): void {
  const counts = (): CountStore => {
    const store = open();
    assert.ok(store !== undefined, 'the session store has none');
    return store;
  };
  const throttle = (): LoginThrottle =>
    createLoginThrottle({ counts: counts(), perUser: 2, perAddress: 3, name: `t${process.pid}` });
  for (const { name, run } of checkCountStore(counts)) it(`counts: ${name}`, run);
  for (const { name, run } of checkLoginThrottle(throttle)) it(`throttle: ${name}`, run);
  for (const { name, run } of checkLinkUses(() => createLinkUses(counts()))) it(`links: ${name}`, run);
}

describe('stores of security in memory', () => {
  const counts = createMemoryCountStore();
  countContract(() => counts);
  const store = createMemorySessionStore();
  const logins = createMemoryRememberMeStore();
  sessionContract(() => store);
  rememberContract(() => logins);
});

describe('stores of security in SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-sessions-'));
  const connections: DatabaseSyncInstance[] = [];
  const connect = (): DatabaseSyncInstance => {
    const database = new DatabaseSync(join(folder, 'sessions.db'));
    database.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 2000');
    connections.push(database);
    return database;
  };
  after(() => {
    for (const database of connections) database.close();
    rmSync(folder, { recursive: true });
  });
  // A connection of its own each time, as another process would have.
  sessionContract(() => createSqliteSessionStore(connect()));
  rememberContract(() => createSqliteRememberMeStore(connect()));
  countContract(() => createSqliteSessionStore(connect()).counts);
});

describe('stores of security in PostgreSQL', () => {
  let server: TestPostgres;
  let pool: pg.Pool;
  before(async () => {
    server = await startPostgres();
    const connection = { host: '127.0.0.1', port: server.port, user: 'postgres', password: 'postgres' };
    pool = new pg.Pool({ ...connection, database: 'postgres', max: 6 });
  });
  after(async () => {
    await pool.end();
    await server.stop();
  });
  sessionContract(() => createPostgresSessionStore(pool));
  rememberContract(() => createPostgresRememberMeStore(pool));
  countContract(() => createPostgresSessionStore(pool).counts);
  it('sessions: no write of concurrent requests is lost', () =>
    countTogether(() => createPostgresSessionStore(pool)));
});

describe('stores of security in Redis', () => {
  let server: TestRedis;
  let client: Redis;
  before(async () => {
    server = await startRedis();
    client = new Redis(server.url);
  });
  after(async () => {
    client.disconnect();
    await server.stop();
  });
  sessionContract(() => createRedisSessionStore(client, { prefix: `t${process.pid}` }));
  rememberContract(() => createRedisRememberMeStore(client, { prefix: `t${process.pid}` }));
  countContract(() => createRedisSessionStore(client, { prefix: `t${process.pid}` }).counts);
  it('sessions: no write of concurrent requests is lost', () =>
    countTogether(() => createRedisSessionStore(client, { prefix: `t${process.pid}` })));
});
