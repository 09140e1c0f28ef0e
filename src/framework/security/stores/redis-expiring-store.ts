import {
  checkLifetime,
  checkSlots,
  type ExpiringStore,
  type ExpiringStoreOptions,
  prefixOf,
  wholeLifetime,
} from './expiring-store.js';

/** The part of an `ioredis` client's API that is used. */
interface RedisClient {
  eval(script: string, keyCount: number, ...args: (string | number)[]): Promise<unknown>;
}

// Each operation is one script, which Redis runs atomically. KEYS[1] is an entry's key: a hash with the value and the
// numbers of kept and pending slots.
const getScript = `return { redis.call('HGET', KEYS[1], 'value') or '', redis.call('PTTL', KEYS[1]) }`;
const putScript = `if ARGV[3] == 'none' and redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
if ARGV[3] == 'value' and redis.call('HGET', KEYS[1], 'value') ~= ARGV[4] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'value', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`;
const removeScript = `if ARGV[1] and redis.call('HGET', KEYS[1], 'value') ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;
const extendScript = `return redis.call('PEXPIRE', KEYS[1], ARGV[1])`;
const takeScript = `local kept = tonumber(redis.call('HGET', KEYS[1], 'kept') or '0')
local pending = tonumber(redis.call('HGET', KEYS[1], 'pending') or '0')
local taken = 0
if kept + pending < tonumber(ARGV[1]) then
  taken = 1
  redis.call('HINCRBY', KEYS[1], 'pending', 1)
  if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
end
return { taken, kept, redis.call('PTTL', KEYS[1]) }`;
const settleScript = `if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if tonumber(redis.call('HGET', KEYS[1], 'pending') or '0') > 0 then redis.call('HINCRBY', KEYS[1], 'pending', -1) end
if ARGV[1] == 'keep' then redis.call('HINCRBY', KEYS[1], 'kept', 1) end
if ARGV[1] == 'clear' then redis.call('HDEL', KEYS[1], 'kept') end
return 1`;
/** Creates a store in Redis or Valkey, shared by all processes. Redis itself removes expired entries. */
export function createRedisExpiringStore(
  client: RedisClient,
  options: ExpiringStoreOptions = {},
): ExpiringStore {
  const prefix = prefixOf('createRedisExpiringStore()', options);
  const run = (script: string, key: string, ...args: (string | number)[]): Promise<unknown> =>
    client.eval(script, 1, `${prefix}:${key}`, ...args);
  return {
    name: 'redis',
    async get(key) {
      const [value, endsIn] = replyList(await run(getScript, key));
      return typeof value === 'string' && Number(endsIn) > 0 ? { value, endsIn: Number(endsIn) } : undefined;
    },
    async put(key, value, { lifetime, expected }) {
      checkLifetime('put', lifetime);
      const how = expected === undefined ? ['any'] : expected === null ? ['none'] : ['value', expected];
      return (await run(putScript, key, value, wholeLifetime(lifetime), ...how)) === 1;
    },
    async remove(key, expected) {
      return (await run(removeScript, key, ...(expected === undefined ? [] : [expected]))) === 1;
    },
    async extend(key, lifetime) {
      checkLifetime('extend', lifetime);
      await run(extendScript, key, wholeLifetime(lifetime));
    },
    async take(key, limit, lifetime) {
      checkSlots(limit, lifetime);
      const [taken, kept, endsIn] = replyList(await run(takeScript, key, limit, wholeLifetime(lifetime)));
      return { isTaken: taken === 1, kept: Number(kept), endsIn: Math.max(0, Number(endsIn)) };
    },
    async settle(key, how) {
      await run(settleScript, key, how);
    },
  };
}

function replyList(reply: unknown): readonly unknown[] {
  return Array.isArray(reply) ? reply : [];
}
