/**
 * Scripts that the server runs atomically. All keys begin with `KEYS[1]`, which has a hash tag, so that they are on
 * one node of a cluster:
 *   meta      hash: version, secret, next (first number that was not leased)
 *   app, profiler   streams, an entry for each segment: its head, keys and directory; `body:BUCKET:ID` holds its records
 *   ranges, leases, pruned   sorted sets of `start:stop:…` by start
 *   gone      hash: number of leading records of an oldest segment that were pruned
 *   total     hash: app, profiler, bytes
 *   processes sorted set of runs by their start; `process:RUN` is a hash with the account of its records
 */
const sharedScript = `
  local p = KEYS[1]
  local function text(n) return string.format('%.0f', n) end
  local function parts(member)
    local start, stop, rest = string.match(member, '^(-?%d+):(-?%d+):(.*)$')
    return tonumber(start), tonumber(stop), rest
  end
  local function below(set, key) return redis.call('ZREVRANGEBYSCORE', p .. set, text(key), '-inf', 'LIMIT', 0, 1)[1] end
  local function register(run, host, pid, version, started)
    if redis.call('EXISTS', p .. 'process:' .. run) == 1 then return end
    redis.call('HSET', p .. 'process:' .. run, 'host', host, 'pid', pid, 'version', version, 'startedAt', started, 'last', -1)
    redis.call('ZADD', p .. 'processes', started, run)
  end
  local function committed(run)
    local sum = 0
    for _, count in ipairs(redis.call('HMGET', p .. 'process:' .. run, 'stored', 'count', 'age', 'bytes', 'purge')) do
      sum = sum + (tonumber(count) or 0)
    end
    return sum
  end
  local function seen(run)
    local time = redis.call('TIME')
    redis.call('HSET', p .. 'process:' .. run, 'seenAt', time[1] * 1000 + math.floor(time[2] / 1000), 'isOver', 0)
  end
`;

/**
 * ARGV: run, host, pid, version, started; amount; secret and next number of a new store; schema version. Returns the
 * secret, the end of the lease and the schema version found.
 */
export const leaseScript: string = `${sharedScript}
  redis.call('HSETNX', p .. 'meta', 'version', ARGV[9])
  local version = redis.call('HGET', p .. 'meta', 'version')
  if tonumber(version) > tonumber(ARGV[9]) then return { '', 0, version } end
  register(ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5])
  seen(ARGV[1])
  redis.call('HSETNX', p .. 'meta', 'secret', ARGV[7])
  redis.call('HSETNX', p .. 'meta', 'next', ARGV[8])
  local stop = redis.call('HINCRBY', p .. 'meta', 'next', ARGV[6])
  redis.call('ZADD', p .. 'leases', stop - ARGV[6], text(stop - ARGV[6]) .. ':' .. text(stop) .. ':' .. ARGV[1])
  redis.call('ZREMRANGEBYRANK', p .. 'leases', 0, -100001)
  return { redis.call('HGET', p .. 'meta', 'secret'), stop, version }`;

/**
 * ARGV: run, host, pid, version, started; made, dropped, pending (each '' if not reported); renamed; number of
 * segments; then for each segment: bucket, number, records, bytes, startedAt, closedAt, facts, keys (as runs in record
 * order, "start:stop,…"), directory, body, ranges (sorted), packed keys and checksums. Returns 1 and the number of
 * records that the process had ever stored, before and after this write; or 0 and the ranges that are already taken,
 * with nothing written.
 */
export const writeScript: string = `${sharedScript}
  local run = ARGV[1]
  register(run, ARGV[2], ARGV[3], ARGV[4], ARGV[5])
  local me = p .. 'process:' .. run
  local before = committed(run)
  local last = tonumber(redis.call('HGET', me, 'last'))
  local taken, fresh = {}, {}
  for at = 11, 10 + ARGV[10] * 12, 12 do
    if tonumber(ARGV[at + 1]) > last then
      fresh[#fresh + 1] = at
      for start, stop in string.gmatch(ARGV[at + 10], '(-?%d+):(-?%d+)') do
        local member = below('ranges', tonumber(stop) - 1)
        while member do
          local from, to = parts(member)
          if to <= tonumber(start) then break end
          taken[#taken + 1] = text(from) .. ':' .. text(to)
          member = below('ranges', from - 1)
        end
      end
    end
  end
  if #taken > 0 then return { 0, taken } end
  for _, at in ipairs(fresh) do
    local bucket, records, bytes = ARGV[at], ARGV[at + 2], ARGV[at + 3]
    local id = redis.call('XADD', p .. bucket, '*', 'run', run, 'records', records, 'bytes', bytes, 'startedAt', ARGV[at + 4],
      'closedAt', ARGV[at + 5], 'facts', ARGV[at + 6], 'keys', ARGV[at + 7], 'directory', ARGV[at + 8], 'ranges', ARGV[at + 10], 'packed', ARGV[at + 11])
    redis.call('SET', p .. 'body:' .. bucket .. ':' .. id, ARGV[at + 9])
    for start, stop in string.gmatch(ARGV[at + 10], '(-?%d+):(-?%d+)') do
      redis.call('ZADD', p .. 'ranges', start, start .. ':' .. stop .. ':' .. bucket .. ':' .. id)
    end
    redis.call('HINCRBY', p .. 'total', bucket, records)
    redis.call('HINCRBY', p .. 'total', 'bytes', bytes)
    redis.call('HINCRBY', me, 'stored', records)
    redis.call('HSET', me, 'last', ARGV[at + 1])
  end
  seen(run)
  redis.call('HINCRBY', me, 'renamed', ARGV[9])
  if ARGV[6] ~= '' then redis.call('HSET', me, 'made', ARGV[6], 'dropped', ARGV[7], 'pending', ARGV[8]) end
  if #fresh > 0 then redis.call('PUBLISH', p .. 'news', '') end
  return { 1, before, committed(run) }`;

/**
 * ARGV: bucket to purge ('' for none), maximum app records, maximum profiler records, maximum bytes, maximum age in
 * milliseconds, time by the caller's clock, maximum segments per call. Returns 1 if there is more to do.
 */
export const pruneScript: string = `${sharedScript}
  local time = redis.call('TIME')
  local now = math.min(time[1] * 1000 + math.floor(time[2] / 1000), tonumber(ARGV[6]))
  local left = tonumber(ARGV[7])
  local function total(name) return tonumber(redis.call('HGET', p .. 'total', name) or 0) end
  local function remember(start, stop, reason)
    if start < 0 then return end
    local before = below('pruned', start - 1)
    if before then
      local from, to, why = parts(before)
      if to == start and why == reason then redis.call('ZREM', p .. 'pruned', before) start = from end
    end
    local after = redis.call('ZRANGEBYSCORE', p .. 'pruned', text(stop), text(stop))[1]
    if after then
      local _, to, why = parts(after)
      if why == reason then redis.call('ZREM', p .. 'pruned', after) stop = to end
    end
    redis.call('ZADD', p .. 'pruned', start, text(start) .. ':' .. text(stop) .. ':' .. reason)
  end
  local function prune(bucket, most)
    while left > 0 do
      local entry = redis.call('XRANGE', p .. bucket, '-', '+', 'COUNT', 1)[1]
      if not entry then return end
      local id, fields = entry[1], {}
      for at = 1, #entry[2], 2 do fields[entry[2][at]] = entry[2][at + 1] end
      local gone = tonumber(redis.call('HGET', p .. 'gone', id) or 0)
      local there = tonumber(fields.records) - gone
      local count, reason = 0, 'count'
      if ARGV[1] == bucket then count, reason = there, 'purge'
      elseif tonumber(string.match(id, '^%d+')) < now - ARGV[5] then count, reason = there, 'age'
      elseif bucket == 'app' and total('bytes') > tonumber(ARGV[4]) then count, reason = there, 'bytes'
      else count = math.min(there, total(bucket) - most) end
      if count <= 0 then return end
      local passed = 0
      for start, stop in string.gmatch(fields.keys, '(-?%d+):(-?%d+)') do
        local from, to = tonumber(start), tonumber(stop)
        local length = to - from
        local first, behind = math.max(gone - passed, 0), math.min(gone + count - passed, length)
        if first < behind then remember(from + first, from + behind, reason) end
        passed = passed + length
      end
      redis.call('HINCRBY', p .. 'total', bucket, -count)
      redis.call('HINCRBY', p .. 'process:' .. fields.run, 'stored', -count)
      redis.call('HINCRBY', p .. 'process:' .. fields.run, reason, count)
      if count < there then redis.call('HSET', p .. 'gone', id, gone + count)
      else
        for start, stop in string.gmatch(fields.ranges, '(-?%d+):(-?%d+)') do
          redis.call('ZREM', p .. 'ranges', start .. ':' .. stop .. ':' .. bucket .. ':' .. id)
        end
        redis.call('HINCRBY', p .. 'total', 'bytes', -fields.bytes)
        redis.call('HDEL', p .. 'gone', id)
        redis.call('DEL', p .. 'body:' .. bucket .. ':' .. id)
        redis.call('XDEL', p .. bucket, id)
      end
      left = left - 1
    end
  end
  if ARGV[1] ~= 'profiler' then prune('app', tonumber(ARGV[2])) end
  if ARGV[1] ~= 'app' then prune('profiler', tonumber(ARGV[3])) end
  redis.call('ZREMRANGEBYRANK', p .. 'pruned', 0, -20001)
  return left == 0 and 1 or 0`;
