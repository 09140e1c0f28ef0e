import type { RememberedLogin, RememberMeStore } from './remember-me-store.js';

export interface MemoryRememberMeStoreOptions {
  /** Most logins kept; beyond it the oldest is forgotten. Default 100,000. */
  readonly limit?: number;
}

/** Remembered logins in this process: gone with it, and not shared with others. */
export function createMemoryRememberMeStore(options: MemoryRememberMeStoreOptions = {}): RememberMeStore {
  const limit = options.limit ?? 100_000;
  const logins = new Map<string, RememberedLogin>();
  return {
    name: 'memory',
    insert(login) {
      logins.set(login.series, login);
      const [oldest] = logins.keys();
      if (logins.size > limit && oldest !== undefined) logins.delete(oldest);
    },
    find: (series) => logins.get(series),
    rotate(series, from, rotation) {
      const login = logins.get(series);
      if (login === undefined || login.tokenHash !== from) return false;
      logins.set(series, { ...login, ...rotation, previousHash: from });
      return true;
    },
    remove: (series) => void logins.delete(series),
    removeUser(identifier) {
      for (const [series, login] of logins) if (login.identifier === identifier) logins.delete(series);
    },
  };
}
