import { createHmac } from 'node:crypto';
import type { OptionNames } from '#coded-error';
import { AuthenticationError } from '../authentication/authenticator.js';
import { equalSecrets, hashToken, randomToken } from '../secrets/signed-cookies.js';
import type { ExpiringStore } from '../stores/expiring-store.js';
import type { SecurityUser } from '../users/user-provider.js';

export interface RefreshOptions {
  /** Store for the hashes of refresh tokens. */
  readonly store: ExpiringStore;
  /** Seconds after which an unused refresh token expires. Default 1,209,600: two weeks. */
  readonly seconds?: number;
  /**
   * Seconds after the login when all its refresh tokens expire, however often they were used. Default 7,776,000: ninety
   * days.
   */
  readonly absoluteSeconds?: number;
  /**
   * Seconds in which a refresh token that was just used returns its successor again, for two tabs that refresh at the same
   * time, or a client that has lost the response. A later reuse is treated as theft. Default 10; 0 for none.
   */
  readonly graceSeconds?: number;
}

export const refreshOptionNames: OptionNames<RefreshOptions> = {
  store: true,
  seconds: true,
  absoluteSeconds: true,
  graceSeconds: true,
};

/** All refresh tokens of one login. Only the last one is valid and, during the grace period, the previous one. */
interface Family {
  readonly identifier: string;
  /** Changes with the user's password. */
  readonly fingerprint: string;
  readonly tokenHash: string;
  /**
   * The previous token. Its successor is derived from it and `salt`, so that neither the token nor this entry alone
   * reveals the successor.
   */
  readonly used?: { readonly tokenHash: string; readonly salt: string; readonly at: number };
  /** Time of the login, in milliseconds since 1970. */
  readonly since: number;
}

interface Rotated {
  readonly user: SecurityUser;
  readonly token: string;
}

type FindUser = (identifier: string) => SecurityUser | undefined | Promise<SecurityUser | undefined>;

/**
 * Refresh tokens that are replaced at each use (RFC 9700 section 4.14.2). Reusing a token after its grace period ends the
 * whole family. During the grace period, a reused token only returns its existing successor.
 */
export class RefreshTokens {
  readonly #store: ExpiringStore;
  readonly #idleMs: number;
  readonly #absoluteMs: number;
  readonly #graceMs: number;

  constructor({ store, seconds, absoluteSeconds, graceSeconds }: RefreshOptions) {
    this.#store = store;
    this.#idleMs = (seconds ?? 1_209_600) * 1000;
    this.#absoluteMs = (absoluteSeconds ?? 7_776_000) * 1000;
    this.#graceMs = (graceSeconds ?? 10) * 1000;
  }

  async begin(user: SecurityUser): Promise<string> {
    const [id, secret] = [randomToken(18), randomToken()];
    const { identifier } = user;
    const [fingerprint, tokenHash] = [fingerprintOf(user), hashToken(secret)];
    await this.#put(id, { identifier, fingerprint, tokenHash, since: Date.now() }, null);
    return `${id}.${secret}`;
  }

  /**
   * Replaces a token with its successor. Throws an `AuthenticationError`, with the reason `theft` if the token was used
   * before.
   */
  async rotate(token: string, findUser: FindUser): Promise<Rotated> {
    const [id, secret] = partsOf(token);
    for (let tries = 0; tries < 3; tries++) {
      const next = await this.#rotateOnce(id, secret, findUser);
      if (next !== undefined) return next;
    }
    return this.#end(id);
  }

  /** Ends the login of a token. Does nothing for an unknown token. */
  async revoke(token: string): Promise<void> {
    const [id, secret] = partsOf(token);
    if (secret !== '') await this.#store.remove(familyKey(id));
  }

  /** Ends all logins of a user. */
  async revokeUser(identifier: string): Promise<void> {
    await this.#store.removeGroup(familiesOf(identifier));
  }

  /** Like `rotate`, but returns undefined if another request has changed the family in the meantime. */
  async #rotateOnce(id: string, secret: string, findUser: FindUser): Promise<Rotated | undefined> {
    const text = (await this.#store.get(familyKey(id)))?.value;
    if (text === undefined)
      throw new AuthenticationError('expired', 'The refresh token is unknown or expired.');
    const family = JSON.parse(text) as Family; // written by #put() below, in this or another process
    const tokenHash = hashToken(secret);
    const isLast = equalSecrets(tokenHash, family.tokenHash);
    const { used } = family;
    const isInGrace =
      used !== undefined && equalSecrets(tokenHash, used.tokenHash) && Date.now() - used.at < this.#graceMs;
    if (!isLast && !isInGrace) return this.#end(id);
    const user = await this.#userOf(id, family, findUser);
    const salt = isLast ? randomToken() : (used?.salt ?? '');
    const next = createHmac('sha256', salt).update(secret).digest('base64url');
    if (isLast) {
      const changed = { ...family, tokenHash: hashToken(next), used: { tokenHash, salt, at: Date.now() } };
      if (!(await this.#put(id, changed, text))) return undefined;
    }
    return { user, token: `${id}.${next}` };
  }

  async #userOf(id: string, family: Family, findUser: FindUser): Promise<SecurityUser> {
    const isOver = family.since + this.#absoluteMs <= Date.now();
    const user = isOver ? undefined : await findUser(family.identifier);
    if (user !== undefined && user.isEnabled !== false && fingerprintOf(user) === family.fingerprint)
      return user;
    await this.#store.remove(familyKey(id));
    throw new AuthenticationError(
      'expired',
      'The login is over, or its user gone, disabled or with another password.',
    );
  }

  async #put(id: string, family: Family, expected: string | null): Promise<boolean> {
    const lifetime = Math.max(1, Math.min(this.#idleMs, family.since + this.#absoluteMs - Date.now()));
    const group = familiesOf(family.identifier);
    return this.#store.put(familyKey(id), JSON.stringify(family), { lifetime, expected, group });
  }

  async #end(id: string): Promise<never> {
    await this.#store.remove(familyKey(id));
    throw new AuthenticationError('theft', 'A refresh token was used twice; its login has been ended.');
  }
}

function partsOf(token: string): [id: string, secret: string] {
  const [id = '', secret = ''] = token.length > 200 ? [] : token.split('.');
  return [id, secret];
}

function familyKey(id: string): string {
  return `refresh:${hashToken(id)}`;
}

function familiesOf(identifier: string): string {
  return `refresh:${hashToken(identifier)}`;
}

function fingerprintOf({ identifier, passwordHash }: SecurityUser): string {
  return hashToken(JSON.stringify([identifier, passwordHash ?? null]));
}
