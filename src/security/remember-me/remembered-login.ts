import { hashToken } from '../secrets/random-token.js';
import type { ExpiringStore } from '../stores/expiring-store.js';

/** A login that is remembered on one device. */
export interface RememberedLogin {
  readonly identifier: string;
  /** Changes with the user's password. */
  readonly fingerprint: string;
  /** Hash of the token that the device holds. */
  readonly tokenHash: string;
  /** Hash of the token before it: requests that were under way at the change still carry that one. */
  readonly previousHash?: string;
  /** When the token was last changed. Milliseconds since 1970. */
  readonly rotatedAt: number;
}

/** A login as it was read. */
export interface StoredLogin extends RememberedLogin {
  /** The entry's text: a rotation takes effect only where it still stands in the store. */
  readonly text: string;
}

/** Remembered logins in a store: one entry for each series (device), in the group of its user. */
export interface RememberedLogins {
  find(series: string): Promise<StoredLogin | undefined>;
  /** Adds a login, or changes it where nobody else did meanwhile; false where another request was faster. */
  put(series: string, login: RememberedLogin, before: StoredLogin | undefined): Promise<boolean>;
  remove(series: string): Promise<void>;
  /** Forgets every device of the user. */
  removeUser(identifier: string): Promise<void>;
}

export function rememberedLogins(store: ExpiringStore, lifetime: number): RememberedLogins {
  const keyOf = (series: string): string => `login:${series}`;
  const groupOf = (identifier: string): string => `user:${hashToken(identifier)}`;
  return {
    async find(series) {
      const text = (await store.get(keyOf(series)))?.value;
      if (text === undefined) return undefined;
      return { ...(JSON.parse(text) as RememberedLogin), text }; // written by put() below, here or in another process
    },
    async put(series, { identifier, fingerprint, tokenHash, previousHash, rotatedAt }, before) {
      const text = JSON.stringify({ identifier, fingerprint, tokenHash, previousHash, rotatedAt });
      const expected = before?.text ?? null;
      return store.put(keyOf(series), text, { lifetime, expected, group: groupOf(identifier) });
    },
    async remove(series) {
      await store.remove(keyOf(series));
    },
    async removeUser(identifier) {
      await store.removeGroup(groupOf(identifier));
    },
  };
}
