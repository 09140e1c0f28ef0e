import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { Redis } from 'ioredis';
import pg from 'pg';
import {
  createApiKeys,
  createExpiringApiKeyStore,
  createLoginThrottle,
  createMemoryExpiringStore,
  createPostgresExpiringStore,
  createRedisExpiringStore,
  createSqliteExpiringStore,
  createTokenIssuer,
  type ExpiringStore,
  type LoginThrottle,
  type TokenIssuer,
} from 'lookback/security';
import { checkExpiringStore } from '../contracts/check-expiring-store.js';
import { checkLoginThrottle } from '../contracts/check-login-throttle.js';
import { startPostgres, type TestPostgres } from '../persistence/start-postgres.js';
import { reader } from './guarded-app.js';
import { countTogether, endMeanwhile, overtake } from './session-app.js';
import { startRedis, type TestRedis } from './start-redis.js';

const { privateKey } = generateKeyPairSync('ed25519');

function createRefreshing(store: ExpiringStore): TokenIssuer {
  const names = { issuer: 'https://shop.example', audience: 'shop-api' };
  return createTokenIssuer({ algorithm: 'EdDSA', key: privateKey, ...names, refresh: { store } });
}

/** The store, and what counts and is kept in it. */
function storeContract(open: () => ExpiringStore): void {
  for (const { name, run } of checkExpiringStore(open)) it(name, run);
  const throttle = (): LoginThrottle =>
    createLoginThrottle({ store: open(), perUser: 2, perAddress: 3, name: `t${process.pid}` });
  for (const { name, run } of checkLoginThrottle(throttle)) it(`throttle: ${name}`, run);
  it('refresh tokens: many requests with one token are given one next token, in two processes', async () => {
    const refreshed = [open(), open()].map((store) => createRefreshing(store));
    const [one, two] = [refreshed[0] ?? assert.fail(), refreshed[1] ?? assert.fail()];
    const provider = { findUser: () => reader };
    const { refresh_token: token = '' } = await one.issue(reader);
    const done = await Promise.allSettled(
      Array.from({ length: 6 }, (_, n) => (n % 2 === 0 ? one : two).refresh(token, provider)),
    );
    const next = done.map((one) => (one.status === 'fulfilled' ? one.value.refresh_token : one.reason));
    assert.ok(next[0] !== token && next.every((one) => one === next[0]), String(next));
    const { refresh_token: other = '' } = await two.issue(reader);
    await one.revokeUser('reader');
    await assert.rejects(two.refresh(other, provider), { reason: 'expired' });
  });
  it('API keys: made at once, listed, revoked', async () => {
    const owner = `owner-${process.pid}`;
    const [one, two] = [open(), open()].map((store) =>
      createApiKeys({ store: createExpiringApiKeyStore(store) }),
    );
    assert.ok(one && two);
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, n) => (n % 2 === 0 ? one : two).create(owner)),
    );
    assert.equal((await one.list(owner)).length, 6);
    await Promise.all(made.map(({ stored }) => two.revoke(owner, stored.id)));
    assert.deepEqual(await one.list(owner), []);
  });
  it('sessions: no write of concurrent requests is lost', () => countTogether(open));
  it('sessions: a request that was overtaken changes nothing', () => overtake(open));
  it('sessions: one that ended under way stays ended', () => endMeanwhile(open));
}

describe('stores of security in memory', () => {
  const store = createMemoryExpiringStore();
  storeContract(() => store);
  it('drops what was written longest ago when there is too much', async () => {
    const small = createMemoryExpiringStore({ limit: 2 });
    for (const key of ['a', 'b']) await small.put(key, key, { lifetime: 60_000 });
    await small.extend('a', 60_000);
    await small.put('c', 'c', { lifetime: 60_000 });
    const left = await Promise.all(['a', 'b', 'c'].map(async (key) => (await small.get(key))?.value));
    assert.deepEqual(left, ['a', undefined, 'c']);
  });
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
  storeContract(() => createSqliteExpiringStore(connect()));
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
  storeContract(() => createPostgresExpiringStore(pool));
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
  storeContract(() => createRedisExpiringStore(client, { prefix: `t${process.pid}` }));
});
