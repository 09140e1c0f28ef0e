import type { RedisClient } from '../clients/redis-client.js';
import { checkStoreName } from '../sessions/store-name.js';
import type { CountStore } from './count-store.js';

// Each step is one script, which Redis runs as a whole. KEYS[1] is the count.
const TAKE = `local kept = tonumber(redis.call('HGET', KEYS[1], 'kept') or '0')
local pending = tonumber(redis.call('HGET', KEYS[1], 'pending') or '0')
local taken = 0
if kept + pending < tonumber(ARGV[1]) then
  taken = 1
  redis.call('HINCRBY', KEYS[1], 'pending', 1)
  if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
end
return { taken, kept, redis.call('PTTL', KEYS[1]) }`;
const SETTLE = `if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if tonumber(redis.call('HGET', KEYS[1], 'pending') or '0') > 0 then redis.call('HINCRBY', KEYS[1], 'pending', -1) end
if ARGV[1] == 'keep' then redis.call('HINCRBY', KEYS[1], 'kept', 1) end
if ARGV[1] == 'clear' then redis.call('HDEL', KEYS[1], 'kept') end
return 1`;

/** Counts in Redis or Valkey, shared by all processes. Redis itself forgets what is over. */
export function createRedisCountStore(client: RedisClient, prefix = 'lookback'): CountStore {
  const start = `${checkStoreName(prefix)}:count:`;
  return {
    name: 'redis',
    async take(key, limit, lifetime) {
      const reply = await client.eval(TAKE, 1, start + key, limit, Math.ceil(lifetime));
      const [taken, kept, endsIn] = Array.isArray(reply) ? (reply as readonly unknown[]) : []; // three numbers
      return { isTaken: taken === 1, kept: Number(kept), endsIn: Math.max(0, Number(endsIn)) };
    },
    async settle(key, how) {
      await client.eval(SETTLE, 1, start + key, how);
    },
  };
}
