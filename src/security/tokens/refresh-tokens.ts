import { AuthenticationError } from '../authentication/authentication-error.js';
import { equalSecrets } from '../secrets/equal-secrets.js';
import { hashToken, randomToken } from '../secrets/random-token.js';
import type { ExpiringStore } from '../stores/expiring-store.js';
import type { SecurityUser } from '../users/security-user.js';

export interface RefreshOptions {
  /** Where refresh tokens are kept, by hash. */
  readonly store: ExpiringStore;
  /** Seconds that a refresh token may lie unused. Default 1,209,600: two weeks. */
  readonly seconds?: number;
  /** Seconds after the login when its last refresh token ends, however often it was used. Default 7,776,000: ninety days. */
  readonly absoluteSeconds?: number;
}

/** All refresh tokens that came of one login: only the last one is good. */
interface Family {
  readonly identifier: string;
  /** Changes with the user's password. */
  readonly fingerprint: string;
  readonly tokenHash: string;
  /** When the user logged in; milliseconds since 1970. */
  readonly since: number;
}

export interface RefreshTokens {
  begin(user: SecurityUser): Promise<string>;
  /** Changes a token into the next one. Throws an `AuthenticationError`, of reason `theft` where the token was used before. */
  rotate(token: string, findUser: FindUser): Promise<{ readonly user: SecurityUser; readonly token: string }>;
  /** Ends the login that the token came of; nothing happens for a token that is not known. */
  revoke(token: string): Promise<void>;
  /** Ends every login of the user. */
  revokeUser(identifier: string): Promise<void>;
}

type FindUser = (identifier: string) => SecurityUser | undefined | Promise<SecurityUser | undefined>;

/** Refresh tokens that are changed at each use (RFC 9700 section 4.14.2): one that comes back ends the whole family. */
export function createRefreshTokens(options: RefreshOptions): RefreshTokens {
  const { store } = options;
  const idle = (options.seconds ?? 1_209_600) * 1000;
  const absolute = (options.absoluteSeconds ?? 7_776_000) * 1000;

  async function put(id: string, family: Family, expected: string | null): Promise<boolean> {
    const lifetime = Math.max(1, Math.min(idle, family.since + absolute - Date.now()));
    const group = groupOf(family.identifier);
    return store.put(keyOf(id), JSON.stringify(family), { lifetime, expected, group });
  }

  async function end(id: string): Promise<never> {
    await store.remove(keyOf(id));
    throw new AuthenticationError('theft', 'A refresh token was used twice; its login is ended.');
  }

  return {
    async begin(user) {
      const [id, secret] = [randomToken(18), randomToken()];
      const { identifier } = user;
      const family = {
        identifier,
        fingerprint: fingerprintOf(user),
        tokenHash: hashToken(secret),
        since: Date.now(),
      };
      await put(id, family, null);
      return `${id}.${secret}`;
    },
    async rotate(token, findUser) {
      const [id = '', secret = ''] = token.length > 200 ? [] : token.split('.');
      const text = (await store.get(keyOf(id)))?.value;
      if (text === undefined)
        throw new AuthenticationError('expired', 'The refresh token is unknown or over.');
      const family = JSON.parse(text) as Family; // written by put() above, here or in another process
      if (!equalSecrets(hashToken(secret), family.tokenHash)) return end(id);
      const isOver = family.since + absolute <= Date.now();
      const user = isOver ? undefined : await findUser(family.identifier);
      if (user === undefined || user.isEnabled === false || fingerprintOf(user) !== family.fingerprint) {
        await store.remove(keyOf(id));
        throw new AuthenticationError(
          'expired',
          'The login is over, or its user gone, disabled or with another password.',
        );
      }
      const next = randomToken();
      // Of two requests with one token the slower is as suspicious as one that comes a day later.
      if (!(await put(id, { ...family, tokenHash: hashToken(next) }, text))) return end(id);
      return { user, token: `${id}.${next}` };
    },
    async revoke(token) {
      const [id = '', secret = ''] = token.length > 200 ? [] : token.split('.');
      if (secret !== '') await store.remove(keyOf(id));
    },
    async revokeUser(identifier) {
      await store.removeGroup(groupOf(identifier));
    },
  };
}

function keyOf(id: string): string {
  return `refresh:${hashToken(id)}`;
}

function groupOf(identifier: string): string {
  return `refresh:${hashToken(identifier)}`;
}

function fingerprintOf({ identifier, passwordHash }: SecurityUser): string {
  return hashToken(JSON.stringify([identifier, passwordHash ?? null]));
}
