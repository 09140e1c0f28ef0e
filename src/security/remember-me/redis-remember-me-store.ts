import type { RedisClient } from '../clients/redis-client.js';
import { checkStoreName } from '../sessions/store-name.js';
import type { RememberedLogin, RememberMeStore } from './remember-me-store.js';

export interface RedisRememberMeStoreOptions {
  /** Beginning of the keys. Default `lookback`. */
  readonly prefix?: string;
}

const FIELDS = ['identifier', 'fingerprint', 'token', 'previous', 'rotated', 'expires'] as const;

// Each step is one script, which Redis runs as a whole. KEYS[1] is the login, or the set of a user's series.
const INSERT = `redis.call('HSET', KEYS[1], 'identifier', ARGV[1], 'fingerprint', ARGV[2], 'token', ARGV[3], 'rotated', ARGV[4], 'expires', ARGV[5])
redis.call('PEXPIREAT', KEYS[1], ARGV[5])
return 1`;
const FIND = `return redis.call('HMGET', KEYS[1], ${FIELDS.map((name) => `'${name}'`).join(', ')})`;
const ROTATE = `if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'previous', ARGV[1], 'token', ARGV[2], 'rotated', ARGV[3], 'expires', ARGV[4])
redis.call('PEXPIREAT', KEYS[1], ARGV[4])
return 1`;
const REMOVE = `return redis.call('DEL', KEYS[1])`;
// A user's series, each with its end: those that are over go when one is added.
const NOTE = `redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
if redis.call('PTTL', KEYS[1]) < ARGV[2] - ARGV[3] then redis.call('PEXPIREAT', KEYS[1], ARGV[2]) end
return 1`;
const TAKE_ALL = `local all = redis.call('ZRANGE', KEYS[1], 0, -1)
redis.call('DEL', KEYS[1])
return all`;

/** Remembered logins in Redis or Valkey. Redis itself forgets what is over. */
export function createRedisRememberMeStore(
  client: RedisClient,
  options: RedisRememberMeStoreOptions = {},
): RememberMeStore {
  const prefix = checkStoreName(options.prefix ?? 'lookback');
  const loginKey = (series: string): string => `${prefix}:login:${series}`;
  const userKey = (identifier: string): string => `${prefix}:logins:${identifier}`;
  const run = (script: string, key: string, ...args: (string | number)[]): Promise<unknown> =>
    client.eval(script, 1, key, ...args);
  return {
    name: 'redis',
    async insert({ series, identifier, fingerprint, tokenHash, rotatedAt, expiresAt }) {
      await run(INSERT, loginKey(series), identifier, fingerprint, tokenHash, rotatedAt, expiresAt);
      await run(NOTE, userKey(identifier), series, expiresAt, Date.now());
    },
    async find(series) {
      return parseLogin(series, await run(FIND, loginKey(series)));
    },
    async rotate(series, from, { tokenHash, rotatedAt, expiresAt }) {
      if ((await run(ROTATE, loginKey(series), from, tokenHash, rotatedAt, expiresAt)) !== 1) return false;
      const login = await this.find(series);
      if (login !== undefined) await run(NOTE, userKey(login.identifier), series, expiresAt, Date.now());
      return true;
    },
    async remove(series) {
      await run(REMOVE, loginKey(series));
    },
    async removeUser(identifier) {
      const series = await run(TAKE_ALL, userKey(identifier));
      for (const one of Array.isArray(series) ? series : []) await run(REMOVE, loginKey(String(one)));
    },
  };
}

function parseLogin(series: string, reply: unknown): RememberedLogin | undefined {
  if (!Array.isArray(reply)) return undefined;
  const [identifier, fingerprint, tokenHash, previousHash, rotatedAt, expiresAt] =
    reply as readonly unknown[]; // the fields asked for
  if (typeof identifier !== 'string' || typeof fingerprint !== 'string' || typeof tokenHash !== 'string') {
    return undefined;
  }
  return {
    series,
    identifier,
    fingerprint,
    tokenHash,
    previousHash: typeof previousHash === 'string' ? previousHash : undefined,
    rotatedAt: Number(rotatedAt),
    expiresAt: Number(expiresAt),
  };
}
