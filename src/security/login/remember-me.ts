import type { HttpRequest } from '#http';
import { type KernelListener, kernelListener, kernelPriority, responseEvent } from '#kernel';
import { createScopeKey, type ScopeKey } from '#scope';
import {
  AuthenticationError,
  type Authenticator,
  type Badge,
  type Passport,
  createBadge,
} from '../authentication/authenticator.js';
import { HostCookie, equalSecrets, hashToken, randomToken, type Signer } from '../secrets/signed-cookies.js';
import { keepPrivate } from '../sessions/sessions.js';
import { createMemoryExpiringStore, type ExpiringStore } from '../stores/expiring-store.js';
import { isFingerprintOf, type SecurityUser, userFingerprint } from '../users/user-provider.js';

export interface RememberMeOptions {
  /**
   * Store with an entry for each device, whose token is replaced when it is used, which detects theft. Default: the
   * session store if processes share it, otherwise the memory of this process.
   */
  readonly store?: ExpiringStore;
  /** Seconds for which a user is remembered. Default 31,536,000: one year. */
  readonly lifetimeSeconds?: number;
  /** True to remember every user, without a request for it. Default false. */
  readonly always?: boolean;
  /** Name of the cookie; over HTTPS with the prefix `__Host-`. Default `remember_me`. */
  readonly cookie?: string;
}

/** Restores users after their session has ended, with a cookie bound to user, password and device. */
export interface RememberMe {
  /** Authenticator that reads the cookie. */
  readonly authenticator: Authenticator;
  /** Called after a full login: the response sets the cookie if `wanted`, otherwise removes it. */
  remember(request: HttpRequest, user: SecurityUser, options: { readonly wanted: boolean }): Promise<void>;
  /** Removes the cookie and the device. */
  forget(request: HttpRequest): Promise<void>;
}

/** Set-Cookie value that the response of a request gets. */
const cookieToSet: ScopeKey<string> = createScopeKey<string>('remember-me cookie');

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
export function createRememberMe(
  signer: Signer,
  shared: ExpiringStore | undefined,
  options: RememberMeOptions,
): RememberMe {
  const { cookie: name = 'remember_me', lifetimeSeconds: lifetime = 31_536_000 } = options;
  const store = options.store ?? shared ?? createMemoryExpiringStore();
  const cookie = new HostCookie(name, { maxAge: lifetime });
  const parts: Parts = { signer, store, cookie, lifetime };
  const forget = async (request: HttpRequest): Promise<void> => {
    const sent = cookie.read(request);
    const series = cookiePattern.exec(sent ?? '')?.[1];
    if (series !== undefined) await store.remove(seriesKey(series));
    if (sent !== undefined) request.scope.set(cookieToSet, cookie.renderRemoval(request));
  };
  return {
    authenticator: {
      name: 'remember-me',
      isInteractive: true,
      supports: (request) => cookie.read(request) !== undefined,
      authenticate: (request) => readPassport(parts, request),
      async onFailure(request) {
        await forget(request);
        return undefined;
      },
    },
    async remember(request, user, { wanted }) {
      await forget(request);
      if (!wanted && options.always !== true) return;
      const [series, token] = [randomToken(18), randomToken()];
      const fingerprint = userFingerprint(signer, user);
      const login = { identifier: user.identifier, fingerprint, tokenHash: hashToken(token) };
      await putLogin(parts, { ...login, rotatedAt: Date.now() }, { series, expected: null });
      request.scope.set(cookieToSet, cookie.render(request, `${series}.${token}`));
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
  const text = (await parts.store.get(seriesKey(series)))?.value;
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
      await parts.store.removeGroup(rememberedLoginsOf(login.identifier));
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
    request.scope.set(cookieToSet, parts.cookie.render(request, `${series}.${token}`));
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
  const group = rememberedLoginsOf(login.identifier);
  return store.put(seriesKey(series), JSON.stringify(login), { lifetime: lifetime * 1000, expected, group });
}

/** Key of the entry of a series. Each device has one series; its entry belongs to the group of the user. */
function seriesKey(series: string): string {
  return `login:${series}`;
}

function rememberedLoginsOf(identifier: string): string {
  return `user:${hashToken(identifier)}`;
}

/** Sets the cookie that a login, a logout or a failure has left for the response. */
export const rememberMeListener: KernelListener = kernelListener(
  responseEvent,
  ({ request, response }) => {
    const cookie = request.scope.getOwn(cookieToSet);
    if (cookie === undefined) return;
    request.scope.delete(cookieToSet);
    response.headers.append('Set-Cookie', cookie);
    keepPrivate(response); // a cache that stores this cookie would send one visitor's login to others
  },
  { name: 'remember me', priority: kernelPriority.response.rememberMe },
);
