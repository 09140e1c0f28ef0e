import { randomBytes } from 'node:crypto';
import { type OptionNames, refuseUnknownOptions } from '#coded-error';
import { AuthenticationError } from '../authentication/authenticator.js';
import type { TokenHandler } from '../login/access-token.js';
import { badOption, securityErrors } from '../secrets/error-codes.js';
import { equalSecrets, hashToken, randomToken } from '../secrets/signed-cookies.js';
import type { ExpiringStore } from '../stores/expiring-store.js';

/** An API key as it is stored, without its secret. */
interface StoredApiKey {
  /** Part of the key with which it is looked up: 24 hexadecimal digits. Not secret. */
  readonly id: string;
  /** Identifier of the user that the key authenticates. */
  readonly owner: string;
  /** Label chosen by the owner. */
  readonly label: string;
  /** SHA-256 hash of the secret part of the key, which has 256 random bits. */
  readonly secretHash: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970; absent for a key that does not expire. */
  readonly expiresAt?: number;
}

/**
 * Port: a store of API keys, e.g. a table of the application. `createExpiringApiKeyStore` creates one on an
 * `ExpiringStore`.
 */
export interface ApiKeyStore {
  add(key: StoredApiKey): void | Promise<void>;
  find(id: string): StoredApiKey | undefined | Promise<StoredApiKey | undefined>;
  list(owner: string): readonly StoredApiKey[] | Promise<readonly StoredApiKey[]>;
  remove(owner: string, id: string): void | Promise<void>;
}

interface ApiKeysOptions {
  readonly store: ApiKeyStore;
  /** Prefix of every key, so that leaked keys can be recognised: at most 20 letters and digits. Default `key`. */
  readonly prefix?: string;
}

const apiKeysOptionNames: OptionNames<ApiKeysOptions> = { store: true, prefix: true };

interface NewApiKey {
  readonly label?: string;
  /** Seconds until the key expires. Default: it does not expire. */
  readonly lifetimeSeconds?: number;
}

/** API keys of users, in the form `key_<id>_<secret>`. Only a hash of the secret is stored. */
export interface ApiKeys {
  /** Creates a key. `key` is returned only here: show it to the owner once. */
  create(
    owner: string,
    options?: NewApiKey,
  ): Promise<{ readonly key: string; readonly stored: StoredApiKey }>;
  list(owner: string): Promise<readonly StoredApiKey[]>;
  /** Revokes a key. Does nothing for a key of another owner. */
  revoke(owner: string, id: string): Promise<void>;
  /** Handler that finds the owner of a key: `apiKey({ handler: keys.handler })`. */
  readonly handler: TokenHandler;
}

export function createApiKeys(options: ApiKeysOptions): ApiKeys {
  refuseUnknownOptions('createApiKeys()', options, apiKeysOptionNames);
  const { store, prefix = 'key' } = options;
  if (!/^[A-Za-z0-9]{1,20}$/.test(prefix))
    throw badOption('createApiKeys', 'prefix', `"${prefix}"; use 1 to 20 letters and digits`);
  const form = new RegExp(`^${prefix}_([0-9a-f]{24})_([A-Za-z0-9_-]{43})$`);
  return {
    async create(owner, { label = '', lifetimeSeconds } = {}) {
      const [id, secret, now] = [randomBytes(12).toString('hex'), randomToken(), Date.now()];
      const end = lifetimeSeconds === undefined ? {} : { expiresAt: now + lifetimeSeconds * 1000 };
      const stored = { id, owner, label, secretHash: hashToken(secret), createdAt: now, ...end };
      await store.add(stored);
      return { key: `${prefix}_${id}_${secret}`, stored };
    },
    list: async (owner) => store.list(owner),
    revoke: async (owner, id) => store.remove(owner, id),
    handler: {
      name: 'API keys',
      async findOwner(key) {
        const [, id = '', secret = ''] = form.exec(key) ?? [];
        if (id === '') return undefined;
        const stored = await store.find(id);
        if (stored === undefined || !equalSecrets(hashToken(secret), stored.secretHash)) return undefined;
        if (stored.expiresAt !== undefined && stored.expiresAt <= Date.now())
          throw new AuthenticationError('expired', `The API key ${id} is over.`);
        return { identifier: stored.owner };
      },
    },
  };
}

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
    const text = (await store.get(apiKeyEntry(id)))?.value;
    return text === undefined ? undefined : (JSON.parse(text) as StoredApiKey); // written by add() below
  }

  /** Returns the keys with these ids that still exist. */
  async function existingKeys(ids: readonly string[]): Promise<readonly StoredApiKey[]> {
    return (await Promise.all(ids.map(find))).filter((key) => key !== undefined);
  }

  /** Changes the owner's list of ids; retries with the new list if another request has changed it in the meantime. */
  async function change(owner: string, edit: (ids: readonly string[]) => readonly string[]): Promise<void> {
    const key = ownerEntry(owner);
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
      await store.put(apiKeyEntry(key.id), JSON.stringify(key), { lifetime });
      try {
        await change(key.owner, (ids) => {
          if (ids.length >= maxKeysListed)
            throw securityErrors.create('SECURITY_TOO_MANY_API_KEYS', { limit: maxKeysListed });
          return [...ids, key.id];
        });
      } catch (error) {
        await store.remove(apiKeyEntry(key.id)); // a key that is not listed could not be revoked
        throw error;
      }
    },
    list: async (owner) => existingKeys(idsOf((await store.get(ownerEntry(owner)))?.value ?? null)),
    async remove(owner, id) {
      if ((await find(id))?.owner !== owner) return;
      await store.remove(apiKeyEntry(id));
      await change(owner, (ids) => ids.filter((one) => one !== id));
    },
  };
}

function idsOf(text: string | null): readonly string[] {
  return text === null ? [] : (JSON.parse(text) as readonly string[]); // written by change() above
}

function apiKeyEntry(id: string): string {
  return `api-key:${hashToken(id)}`;
}

function ownerEntry(owner: string): string {
  return `api-keys:${hashToken(owner)}`;
}
