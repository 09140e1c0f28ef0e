import type { HttpRequest } from '#http';
import { AuthenticationError } from '../authentication/authentication-error.js';
import { createBadge } from '../authentication/badges.js';
import type { Badge, Passport } from '../authentication/authenticator.js';
import { isFingerprintOf, userFingerprint } from '../authentication/user-fingerprint.js';
import { securityOf } from '../state/request-security.js';
import { equalSecrets, hashToken, randomToken } from '../secrets/random-token.js';
import type { Signer } from '../secrets/signer.js';
import type { ExpiringStore } from '../stores/expiring-store.js';
import { type RememberMeCookie, createRememberMeCookie } from './remember-me-cookie.js';
import type { RememberMe, RememberMeOptions } from '../state/firewall.js';

const cookiePattern = /^([A-Za-z0-9_-]{24})\.([A-Za-z0-9_-]{43})$/;
/** A token older than this is changed at use; the one before it is good for as long, for requests under way. */
const graceMs = 60_000;

/**
 * Remembering with a store: each device has a series and a token that changes at use. Whoever comes with a token that
 * was changed before copied it, or was copied: every device of the user is then forgotten.
 */
export function createPersistentRememberMe(
  signer: Signer,
  store: ExpiringStore,
  options: RememberMeOptions,
): RememberMe {
  const cookie = createRememberMeCookie(options);
  const logins = rememberedLogins(store, cookie.lifetime * 1000);
  const parts: Parts = { signer, logins, cookie };
  const forget: RememberMe['forget'] = async (request, security) => {
    const series = cookiePattern.exec(cookie.read(request) ?? '')?.[1];
    if (series !== undefined) await logins.remove(series);
    if (cookie.read(request) !== undefined) security.rememberMeCookie = cookie.renderRemoval(request);
  };
  return {
    authenticator: {
      name: 'remember-me',
      isInteractive: true,
      supports: (request) => cookie.read(request) !== undefined,
      authenticate: (request) => readPassport(parts, request),
      async onFailure(request) {
        await forget(request, securityOf(request));
        return undefined;
      },
    },
    async remember(request, user, { wanted, security }) {
      await forget(request, security);
      if (!wanted && options.always !== true) return;
      const [series, token] = [randomToken(18), randomToken()];
      const fingerprint = userFingerprint(signer, user);
      const login = { identifier: user.identifier, fingerprint, tokenHash: hashToken(token) };
      await logins.put(series, { ...login, rotatedAt: Date.now() }, undefined);
      security.rememberMeCookie = cookie.render(request, `${series}.${token}`);
    },
    forget,
  };
}

interface Parts {
  readonly signer: Signer;
  readonly logins: RememberedLogins;
  readonly cookie: RememberMeCookie;
}

async function readPassport(parts: Parts, request: HttpRequest): Promise<Passport> {
  const [, series, token] = cookiePattern.exec(parts.cookie.read(request) ?? '') ?? [];
  if (series === undefined || token === undefined) {
    throw new AuthenticationError('malformed', 'The remember-me cookie is malformed.');
  }
  const login = await parts.logins.find(series);
  if (login === undefined) throw new AuthenticationError('token', 'The remembered login is unknown.');
  return { identifier: login.identifier, badges: [tokenBadge(parts, request, { login, series, token })] };
}

function tokenBadge(
  parts: Parts,
  request: HttpRequest,
  { login, series, token }: { readonly login: StoredLogin; readonly series: string; readonly token: string },
): Badge {
  return createBadge('remembered-login', async ({ user }) => {
    const age = Date.now() - login.rotatedAt;
    const isCurrent = equalSecrets(hashToken(token), login.tokenHash);
    const isPrevious = equalSecrets(hashToken(token), login.previousHash ?? '');
    if (!isCurrent && !(isPrevious && age <= graceMs)) {
      await parts.logins.removeUser(login.identifier);
      throw new AuthenticationError(
        'theft',
        'A remember-me token was used again after it had been replaced.',
      );
    }
    if (user === undefined || !isFingerprintOf(parts.signer, user, login.fingerprint)) {
      throw new AuthenticationError('token', 'The user was removed or has a new password.');
    }
    if (isCurrent && age > graceMs) await rotate(parts, request, { login, series });
  });
}

async function rotate(
  { logins, cookie }: Parts,
  request: HttpRequest,
  { login, series }: { readonly login: StoredLogin; readonly series: string },
): Promise<void> {
  const token = randomToken();
  const rotation = { tokenHash: hashToken(token), previousHash: login.tokenHash, rotatedAt: Date.now() };
  // A faster request may have changed it meanwhile; its answer brings the new cookie.
  if (await logins.put(series, { ...login, ...rotation }, login)) {
    securityOf(request).rememberMeCookie = cookie.render(request, `${series}.${token}`);
  }
}

/** A login that is remembered on one device. */
interface RememberedLogin {
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
interface StoredLogin extends RememberedLogin {
  /** The entry's text: a rotation takes effect only where it still stands in the store. */
  readonly text: string;
}

/** Remembered logins in a store: one entry for each series (device), in the group of its user. */
interface RememberedLogins {
  find(series: string): Promise<StoredLogin | undefined>;
  /** Adds a login, or changes it unless another request did meanwhile; false if one did. */
  put(series: string, login: RememberedLogin, before: StoredLogin | undefined): Promise<boolean>;
  remove(series: string): Promise<void>;
  /** Forgets every device of the user. */
  removeUser(identifier: string): Promise<void>;
}

function rememberedLogins(store: ExpiringStore, lifetime: number): RememberedLogins {
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
