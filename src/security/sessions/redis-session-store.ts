import type { RedisClient } from '../clients/redis-client.js';
import { createRedisCountStore } from '../counts/redis-count-store.js';
import type { SessionRecord, SessionStore } from './session-store.js';
import { checkStoreName } from './store-name.js';

export interface RedisSessionStoreOptions {
  /** Beginning of the keys. Default `lookback`. */
  readonly prefix?: string;
}

// Each step is one script, which Redis runs as a whole. KEYS[1] is the session, KEYS[2] its lock.
const READ = `return redis.call('HMGET', KEYS[1], 'data', 'created', 'expires')`;
const LOCK = `if redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end return 0`;
const UNLOCK = `if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('DEL', KEYS[2]) end return 1`;
const WRITE = `if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'data', ARGV[2], 'created', ARGV[3], 'expires', ARGV[4])
redis.call('PEXPIREAT', KEYS[1], ARGV[4])
return 1`;
const REMOVE = `if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
return 1`;
const TOUCH = `if redis.call('EXISTS', KEYS[1]) == 1 then
redis.call('HSET', KEYS[1], 'expires', ARGV[1])
redis.call('PEXPIREAT', KEYS[1], ARGV[1]) end
return 1`;

/** Sessions in Redis or Valkey, shared by all processes. Redis itself forgets what is over. */
export function createRedisSessionStore(
  client: RedisClient,
  options: RedisSessionStoreOptions = {},
): SessionStore {
  const prefix = checkStoreName(options.prefix ?? 'lookback');
  // The braces keep a session and its lock on one node of a cluster.
  const run = (script: string, key: string, ...args: (string | number)[]): Promise<unknown> =>
    client.eval(script, 2, `${prefix}:session:{${key}}`, `${prefix}:session:{${key}}:lock`, ...args);
  return {
    name: 'redis',
    counts: createRedisCountStore(client, options.prefix),
    async read(key) {
      return parseRecord(await run(READ, key));
    },
    async lock(key, owner, milliseconds) {
      return (await run(LOCK, key, owner, milliseconds)) === 1;
    },
    async unlock(key, owner) {
      await run(UNLOCK, key, owner);
    },
    async write(key, owner, record) {
      if (record === undefined) return (await run(REMOVE, key, owner)) === 1;
      const { data, createdAt, expiresAt } = record;
      return (await run(WRITE, key, owner, data, createdAt, expiresAt)) === 1;
    },
    async touch(key, expiresAt) {
      await run(TOUCH, key, expiresAt);
    },
  };
}

function parseRecord(reply: unknown): SessionRecord | undefined {
  if (!Array.isArray(reply)) return undefined;
  const [data, created, expires] = reply as readonly unknown[]; // the three fields asked for
  if (typeof data !== 'string') return undefined;
  const record = { data, createdAt: Number(created), expiresAt: Number(expires) };
  return record.expiresAt > Date.now() ? record : undefined;
}
