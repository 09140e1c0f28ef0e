import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { Redis } from 'ioredis';
import pg from 'pg';
import {
  boundStore,
  createLoginThrottle,
  createMemoryExpiringStore,
  createPostgresExpiringStore,
  createRedisExpiringStore,
  createSqliteExpiringStore,
  type ExpiringStore,
  type LoginThrottle,
} from 'lookback/security';
import { checkExpiringStore } from '../contracts/check-expiring-store.js';
import { checkLoginThrottle } from '../contracts/check-login-throttle.js';
import { startPostgres, type TestPostgres } from '../persistence/start-postgres.js';
import { countTogether, endMeanwhile, logInTwice, overtake } from './session-app.js';
import { startRedis, type TestRedis } from './start-redis.js';

/** The store, alone and with time limits, and the throttle and sessions that use it. */
function storeContract(open: () => ExpiringStore): void {
  for (const { name, run } of checkExpiringStore(() => boundStore(open())))
    it(`with time limits: ${name}`, run);
  for (const { name, run } of checkExpiringStore(open)) it(name, run);
  const throttle = (): LoginThrottle =>
    createLoginThrottle({ store: open(), perUser: 2, perAddress: 3, name: `t${process.pid}` });
  for (const { name, run } of checkLoginThrottle(throttle)) it(`throttle: ${name}`, run);
  it('refuses a limit or lifetime that would switch the counter off', () => refuseWrongNumbers(open()));
  it('sessions: no write of concurrent requests is lost', () => countTogether(open));
  it('sessions: a request that lost its lock changes nothing', () => overtake(open));
  it('sessions: a login sent twice loses nothing', () => logInTwice(open));
  it('sessions: a session that ended meanwhile stays ended', () => endMeanwhile(open));
}

/** Values that configuration mistakes produce, such as `Number(process.env.MISSING)`. */
const wrongNumbers = [NaN, undefined, null, '3', '1m', {}, true, 10n, -Infinity];

async function refuseWrongNumbers(store: ExpiringStore): Promise<void> {
  const key = `wrong:${randomUUID()}`;
  const refusal = { code: 'OPTIONS_BAD_VALUE' };
  for (const wrong of wrongNumbers as number[]) {
    // bypasses the compiler
    const calls = {
      limit: async () => store.take(key, wrong, 60_000),
      'time of a counter': async () => store.take(key, 3, wrong),
      'lifetime of an entry': async () => store.put(key, 'x', { lifetime: wrong }),
      extension: async () => store.extend(key, wrong),
    };
    for (const [what, call] of Object.entries(calls))
      await assert.rejects(call, refusal, `${what}: ${String(wrong)}`);
  }
  for (const limit of [0, -1, 1.5]) await assert.rejects(async () => store.take(key, limit, 60_000), refusal);
  for (const time of [0, -1]) await assert.rejects(async () => store.take(key, 3, time), refusal);
}

it('boundStore() refuses a timeout that is not a positive number', () => {
  for (const wrong of [NaN, 0, -1, '1s', null, 10n] as number[])
    // bypasses the compiler
    assert.throws(() => boundStore(createMemoryExpiringStore(), wrong), { code: 'OPTIONS_BAD_VALUE' });
});

it('boundStore() refuses invalid results of store methods, and names the valid ones', async () => {
  const answering = (answer: unknown): ExpiringStore => {
    const store = boundStore(
      new Proxy(createMemoryExpiringStore(), {
        get: (target, name) => (name === 'name' ? target.name : () => answer),
      }),
    );
    return store;
  };
  const refused = async (work: () => unknown, method: string, takes: RegExp): Promise<void> =>
    assert.rejects(
      async () => work(),
      ({ cause }: Error) => {
        assert.ok(cause instanceof Error);
        const [code, fix] = [Reflect.get(cause, 'code') as unknown, String(Reflect.get(cause, 'fix'))];
        assert.deepEqual(
          [code, cause.message.includes(`answered ${method}() with`)],
          ['SECURITY_STORE_ANSWER', true],
        );
        assert.match(fix, takes);
        return true;
      },
    );
  for (const wrong of [
    42,
    'ok',
    {},
    [],
    { isTaken: 1, kept: 0, endsIn: 0, value: 1 },
    { value: 'x', endsIn: NaN },
  ])
    for (const answer of [wrong, Promise.resolve(wrong)]) {
      const store = answering(answer);
      await refused(() => store.get('a'), 'get', /value \(a string\)/);
      await refused(() => store.put('a', 'b', { lifetime: 1 }), 'put', /true or false/);
      await refused(() => store.remove('a'), 'remove', /true or false/);
      await refused(() => store.take('a', 1, 1), 'take', /isTaken/);
    }
});

describe('security stores in memory', () => {
  const store = createMemoryExpiringStore();
  storeContract(() => store);
  it('drops the oldest entries when there are too many', async () => {
    const small = createMemoryExpiringStore({ limit: 2 });
    for (const key of ['a', 'b']) await small.put(key, key, { lifetime: 60_000 });
    await small.extend('a', 60_000);
    await small.put('c', 'c', { lifetime: 60_000 });
    const left = await Promise.all(['a', 'b', 'c'].map(async (key) => (await small.get(key))?.value));
    assert.deepEqual(left, ['a', undefined, 'c']);
  });
});

describe('security stores in SQLite', () => {
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
  // A separate connection each time, as in another process.
  storeContract(() => createSqliteExpiringStore(connect()));
});

describe('security stores in PostgreSQL', () => {
  let server: TestPostgres;
  let pool: pg.Pool;
  before(async () => {
    server = await startPostgres();
    await server.createDatabase('expiring');
    const connection = { host: '127.0.0.1', port: server.port, user: 'postgres', password: 'postgres' };
    pool = new pg.Pool({ ...connection, database: 'expiring', max: 6 });
    // The server may end before the last connection has closed.
    pool.on('error', () => undefined);
  });
  after(async () => {
    await pool.end();
    await server.stop();
  });
  storeContract(() => createPostgresExpiringStore(pool));
});

describe('security stores in Redis', () => {
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
