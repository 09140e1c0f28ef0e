import { randomBytes } from 'node:crypto';
import { AuthenticationError } from '../authentication/authentication-error.js';
import { badOption } from '../errors/error-codes.js';
import type { TokenHandler } from '../login/token-handler.js';
import { equalSecrets, hashToken, randomToken } from '../secrets/random-token.js';

/** An API key as it is stored, without its secret. */
export interface StoredApiKey {
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

export interface ApiKeysOptions {
  readonly store: ApiKeyStore;
  /** Prefix of every key, so that leaked keys can be recognised: at most 20 letters and digits. Default `key`. */
  readonly prefix?: string;
}

export interface NewApiKey {
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

export function createApiKeys({ store, prefix = 'key' }: ApiKeysOptions): ApiKeys {
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
