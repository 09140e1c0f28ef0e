import { securityErrors } from '../errors/error-codes.js';
import { hashToken } from '../secrets/random-token.js';
import type { ExpiringStore } from '../stores/expiring-store.js';
import type { ApiKeyStore, StoredApiKey } from './api-keys.js';

/** Maximum number of keys of one owner. */
const maxKeysListed = 100;
/** Lifetime of a key that does not expire: a hundred years. */
const foreverMs = 3_155_760_000_000;

/**
 * Stores API keys in a persistent `ExpiringStore` (SQLite, PostgreSQL, Redis), with an entry for each key, and an entry for
 * each owner with the ids of the keys. An owner has at most 100 keys; adding another one throws
 * `SECURITY_TOO_MANY_API_KEYS`.
 */
export function createExpiringApiKeyStore(store: ExpiringStore): ApiKeyStore {
  async function find(id: string): Promise<StoredApiKey | undefined> {
    const text = (await store.get(keyOf(id)))?.value;
    return text === undefined ? undefined : (JSON.parse(text) as StoredApiKey); // written by add() below
  }

  /** Returns the keys with these ids that still exist. */
  async function existingKeys(ids: readonly string[]): Promise<readonly StoredApiKey[]> {
    return (await Promise.all(ids.map(find))).filter((key) => key !== undefined);
  }

  /** Changes the owner's list of ids; retries with the new list if another request has changed it in the meantime. */
  async function change(owner: string, edit: (ids: readonly string[]) => readonly string[]): Promise<void> {
    const key = ownerKeyOf(owner);
    for (;;) {
      const expected = (await store.get(key))?.value ?? null;
      const known = (await existingKeys(idsOf(expected))).map(({ id }) => id);
      const text = JSON.stringify(edit(known));
      if (await store.put(key, text, { lifetime: foreverMs, expected })) return;
    }
  }

  return {
    find,
    async add(key) {
      const lifetime = key.expiresAt === undefined ? foreverMs : Math.max(1, key.expiresAt - Date.now());
      await store.put(keyOf(key.id), JSON.stringify(key), { lifetime });
      try {
        await change(key.owner, (ids) => {
          if (ids.length >= maxKeysListed)
            throw securityErrors.create('SECURITY_TOO_MANY_API_KEYS', { limit: maxKeysListed });
          return [...ids, key.id];
        });
      } catch (error) {
        await store.remove(keyOf(key.id)); // a key that is not listed could not be revoked
        throw error;
      }
    },
    list: async (owner) => existingKeys(idsOf((await store.get(ownerKeyOf(owner)))?.value ?? null)),
    async remove(owner, id) {
      if ((await find(id))?.owner !== owner) return;
      await store.remove(keyOf(id));
      await change(owner, (ids) => ids.filter((one) => one !== id));
    },
  };
}

function idsOf(text: string | null): readonly string[] {
  return text === null ? [] : (JSON.parse(text) as readonly string[]); // written by change() above
}

function keyOf(id: string): string {
  return `api-key:${hashToken(id)}`;
}

function ownerKeyOf(owner: string): string {
  return `api-keys:${hashToken(owner)}`;
}
