import type { SessionRecord, SessionStore } from './session-store.js';

export interface MemorySessionStoreOptions {
  /** Most sessions kept; beyond it the one that was used longest ago is dropped. Default 100,000. */
  readonly limit?: number;
}

/** Sessions in this process: gone with it, and not shared with others. */
export function createMemorySessionStore(options: MemorySessionStoreOptions = {}): SessionStore {
  const limit = options.limit ?? 100_000;
  const records = new Map<string, SessionRecord>();
  const locks = new Map<string, { owner: string; until: number }>();
  const holds = (key: string, owner: string): boolean => {
    const lock = locks.get(key);
    return lock !== undefined && lock.owner === owner && lock.until > Date.now();
  };
  const put = (key: string, record: SessionRecord): void => {
    records.delete(key); // a Map keeps the order of adding: the first is the one used longest ago
    records.set(key, record);
  };
  return {
    name: 'memory',
    read(key) {
      const record = records.get(key);
      if (record !== undefined && record.expiresAt <= Date.now()) {
        records.delete(key);
        return undefined;
      }
      return record;
    },
    lock(key, owner, milliseconds) {
      const lock = locks.get(key);
      if (lock !== undefined && lock.until > Date.now()) return false;
      locks.set(key, { owner, until: Date.now() + milliseconds });
      return true;
    },
    unlock(key, owner) {
      if (locks.get(key)?.owner === owner) locks.delete(key);
    },
    write(key, owner, record) {
      if (!holds(key, owner)) return false;
      if (record === undefined) records.delete(key);
      else put(key, record);
      if (records.size > limit) dropOldest(records);
      return true;
    },
    touch(key, expiresAt) {
      const record = records.get(key);
      if (record !== undefined) put(key, { ...record, expiresAt });
    },
  };
}

function dropOldest(records: Map<string, SessionRecord>): void {
  const [oldest] = records.keys();
  if (oldest !== undefined) records.delete(oldest);
}
