import type { HttpRequest } from '#http';
import { AuthenticationError } from '../authentication/authentication-error.js';
import { createBadge } from '../authentication/badges.js';
import type { Badge, Passport } from '../authentication/authenticator.js';
import { isFingerprintOf, userFingerprint } from '../authentication/user-fingerprint.js';
import { securityOf } from '../state/request-security.js';
import { equalSecrets, hashToken, randomToken } from '../secrets/random-token.js';
import type { HostCookie } from '../secrets/host-cookie.js';
import type { Signer } from '../secrets/signer.js';
import type { ExpiringStore } from '../stores/expiring-store.js';
import { createRememberMeCookie } from './remember-me-cookie.js';
import type { RememberMe, RememberMeOptions } from '../state/firewall.js';

const cookiePattern = /^([A-Za-z0-9_-]{24})\.([A-Za-z0-9_-]{43})$/;
/**
 * A token older than this is replaced when it is used. The previous token stays valid for the same time, for requests in
 * flight.
 */
const graceMs = 60_000;

/**
 * Creates remember-me with a store: each device has a series and a token that is replaced when it is used. If a replaced
 * token is used again, it was stolen, or its successor was: the remembered logins of all devices of the user are then removed.
 */
export function createPersistentRememberMe(
  signer: Signer,
  store: ExpiringStore,
  options: RememberMeOptions,
): RememberMe {
  const parts: Parts = { signer, store, ...createRememberMeCookie(options) };
  const { cookie } = parts;
  const forget: RememberMe['forget'] = async (request, security) => {
    const sent = cookie.read(request);
    const series = cookiePattern.exec(sent ?? '')?.[1];
    if (series !== undefined) await store.remove(keyOf(series));
    if (sent !== undefined) security.rememberMeCookie = cookie.renderRemoval(request);
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
      await putLogin(parts, { ...login, rotatedAt: Date.now() }, { series, expected: null });
      security.rememberMeCookie = cookie.render(request, `${series}.${token}`);
    },
    forget,
  };
}

interface Parts {
  readonly signer: Signer;
  readonly store: ExpiringStore;
  readonly cookie: HostCookie;
  readonly lifetime: number;
}

async function readPassport(parts: Parts, request: HttpRequest): Promise<Passport> {
  const [, series, token] = cookiePattern.exec(parts.cookie.read(request) ?? '') ?? [];
  if (series === undefined || token === undefined) {
    throw new AuthenticationError('malformed', 'The remember-me cookie is malformed.');
  }
  const text = (await parts.store.get(keyOf(series)))?.value;
  if (text === undefined) throw new AuthenticationError('token', 'The remembered login is unknown.');
  const login = JSON.parse(text) as RememberedLogin; // written by putLogin() below, in this or another process
  return {
    identifier: login.identifier,
    badges: [tokenBadge(parts, request, { login, text, series, token })],
  };
}

function tokenBadge(
  parts: Parts,
  request: HttpRequest,
  { token, ...found }: FoundLogin & { readonly token: string },
): Badge {
  const { login } = found;
  return createBadge('remembered-login', async ({ user }) => {
    const age = Date.now() - login.rotatedAt;
    const isCurrent = equalSecrets(hashToken(token), login.tokenHash);
    const isPrevious = equalSecrets(hashToken(token), login.previousHash ?? '');
    if (!isCurrent && !(isPrevious && age <= graceMs)) {
      await parts.store.removeGroup(groupOf(login.identifier));
      throw new AuthenticationError(
        'theft',
        'A remember-me token was used again after it had been replaced.',
      );
    }
    if (user === undefined || !isFingerprintOf(parts.signer, user, login.fingerprint)) {
      throw new AuthenticationError('token', 'The user was removed or has a new password.');
    }
    if (isCurrent && age > graceMs) await rotate(parts, request, found);
  });
}

async function rotate(
  parts: Parts,
  request: HttpRequest,
  { login, text, series }: FoundLogin,
): Promise<void> {
  const token = randomToken();
  const rotation = { tokenHash: hashToken(token), previousHash: login.tokenHash, rotatedAt: Date.now() };
  // A concurrent request may have replaced the token in the meantime; its response has the new cookie.
  if (await putLogin(parts, { ...login, ...rotation }, { series, expected: text }))
    securityOf(request).rememberMeCookie = parts.cookie.render(request, `${series}.${token}`);
}

/** A remembered login of one device. */
interface RememberedLogin {
  readonly identifier: string;
  /** Changes with the user's password. */
  readonly fingerprint: string;
  /** Hash of the token that the device holds. */
  readonly tokenHash: string;
  /** Hash of the previous token, which requests that were in flight at the replacement still carry. */
  readonly previousHash?: string;
  /** Time of the last replacement, in milliseconds since 1970. */
  readonly rotatedAt: number;
}

/** A login with its stored text: a rotation only takes effect if the store still has that text. */
interface FoundLogin {
  readonly login: RememberedLogin;
  readonly text: string;
  readonly series: string;
}

/** Adds a login (`expected: null`) or replaces it. Returns false if another request has changed it in the meantime. */
async function putLogin(
  { store, lifetime }: Parts,
  login: RememberedLogin,
  { series, expected }: { readonly series: string; readonly expected: string | null },
): Promise<boolean> {
  const group = groupOf(login.identifier);
  return store.put(keyOf(series), JSON.stringify(login), { lifetime: lifetime * 1000, expected, group });
}

/** Key of the entry of a series. Each device has one series; its entry belongs to the group of the user. */
function keyOf(series: string): string {
  return `login:${series}`;
}

function groupOf(identifier: string): string {
  return `user:${hashToken(identifier)}`;
}
