import type { HttpRequest } from '#core/http';
import { type KernelListener, kernelListener, kernelPriority, responseEvent } from '#framework/kernel';
import { number, type OptionsSchema, optionsSchema, text } from '#core/options';
import { createScopeKey, type ScopeKey } from '#core/scope';
import {
  AuthenticationError,
  type Authenticator,
  type Badge,
  createBadge,
} from '../authentication/authenticator.js';
import { HostCookie, equalSecrets, hashToken, randomToken, type Signer } from '../secrets/signed-cookies.js';
import { keepPrivate } from '../sessions/request-session.js';
import { boundStore } from '../stores/bound-store.js';
import {
  createMemoryExpiringStore,
  type ExpiringStore,
  expiringStore,
  longestSeconds,
} from '../stores/expiring-store.js';
import { isFingerprintOf, type SecurityUser, userFingerprint } from '../users/user-provider.js';

export interface RememberMeOptions {
  /**
   * Store with an entry for each device. An entry's token is replaced when it is used, which detects theft. Default:
   * the session store if processes share it, otherwise the memory of this process.
   */
  readonly store?: ExpiringStore;
  /** Seconds for which a user is remembered. Default 31,536,000: one year. */
  readonly lifetimeSeconds?: number;
  /** Name of the cookie; over HTTPS with the prefix `__Host-`. Default `remember_me`. */
  readonly cookie?: string;
}

export const rememberMeSchema: OptionsSchema<RememberMeOptions> = optionsSchema<RememberMeOptions>({
  store: expiringStore,
  lifetimeSeconds: number({ min: 1, max: longestSeconds, unit: 'seconds' }),
  cookie: text,
});

/** Set-Cookie value for the request's response. */
const cookieToSet: ScopeKey<string> = createScopeKey<string>('remember-me cookie');

/** The era of the remembered login that authenticated a request. */
const rememberedEra: ScopeKey<string> = createScopeKey<string>('remembered era');

/** Series, token and their signature, which is missing from earlier versions' cookies. */
const cookiePattern = /^([\w-]{24})\.([\w-]{43})(?:\.([\w-]{43}))?$/;
const signingPurpose = 'remember-me';
/**
 * A token older than this is replaced when it is used; the previous token stays valid for the same time, for requests
 * in flight.
 */
const graceMs = 60_000;

/** One device's remembered login, as stored under its series. */
interface RememberedLogin {
  readonly identifier: string;
  /** Changes with the user's password. */
  readonly fingerprint: string;
  /** The user's era at the login; a theft starts a new one, which ends logins from earlier eras. */
  readonly era: string;
  readonly tokenHash: string;
  /** The previous token's hash, which requests in flight during the replacement still carry. */
  readonly previousHash?: string;
  /** Last replacement time, in milliseconds since 1970. */
  readonly rotatedAt: number;
}

/** A login with its stored text: a rotation only takes effect if the store still has that text. */
interface FoundLogin {
  readonly login: RememberedLogin;
  readonly text: string;
  readonly series: string;
  readonly token: string;
  /** Whether this site issued the cookie: a token that was merely altered is not a sign of theft. */
  readonly isSigned: boolean;
}

/**
 * Restores users after their session has ended, with a cookie bound to user, password and device. Each device has a
 * series and a token that is replaced when it is used. If a replaced token is used again, it or its successor was
 * stolen: the user's remembered logins on all devices end, and so do the sessions that they began.
 */
export class RememberMe {
  readonly #signer: Signer;
  readonly #store: ExpiringStore;
  readonly #cookie: HostCookie;
  readonly #lifetime: number;

  constructor(signer: Signer, shared: ExpiringStore | undefined, options: RememberMeOptions) {
    const { cookie = 'remember_me', lifetimeSeconds = 31_536_000 } = options;
    this.#signer = signer;
    this.#store = boundStore(options.store ?? shared ?? createMemoryExpiringStore());
    this.#cookie = new HostCookie(cookie, { maxAge: lifetimeSeconds });
    this.#lifetime = lifetimeSeconds * 1000;
  }

  readonly authenticator: Authenticator = {
    name: 'remember-me',
    isInteractive: true,
    supports: (request) => this.#cookie.read(request) !== undefined,
    authenticate: async (request) => {
      const found = await this.#find(request);
      const check: Badge['check'] = ({ user }) => this.#check(request, found, user);
      return { identifier: found.login.identifier, badges: [createBadge('remembered-login', check)] };
    },
    onFailure: async (request, { reason }) => {
      // An altered cookie proves nothing about the login it was derived from, which stays valid.
      if (reason === 'malformed') request.scope.set(cookieToSet, this.#cookie.renderRemoval(request));
      else await this.forget(request);
      return undefined;
    },
  };

  /** Called after a full login: the response sets the cookie if `wanted`, otherwise removes it. */
  async remember(
    request: HttpRequest,
    user: SecurityUser,
    { wanted }: { readonly wanted: boolean },
  ): Promise<void> {
    await this.forget(request);
    if (!wanted) return;
    const { identifier } = user;
    const [series, token] = [randomToken(18), randomToken()];
    const login: RememberedLogin = {
      identifier,
      fingerprint: userFingerprint(this.#signer, user),
      era: (await this.#store.get(eraKey(identifier)))?.value ?? '',
      tokenHash: hashToken(token),
      rotatedAt: Date.now(),
    };
    await this.#put(series, login, null);
    this.#setCookie(request, series, token);
  }

  /** Returns the era of the remembered login that authenticated this request. */
  eraOf(request: HttpRequest): string | undefined {
    return request.scope.get(rememberedEra);
  }

  /** Returns whether an era's sessions remain valid: no stolen remembered login was noticed since it began. */
  async isCurrentEra(identifier: string, era: string): Promise<boolean> {
    const current = await this.#store.get(eraKey(identifier));
    return current === undefined || current.value === era;
  }

  async forget(request: HttpRequest): Promise<void> {
    const sent = this.#cookie.read(request);
    const series = cookiePattern.exec(sent ?? '')?.[1];
    if (series !== undefined) await this.#store.remove(seriesKey(series));
    if (sent !== undefined) request.scope.set(cookieToSet, this.#cookie.renderRemoval(request));
  }

  async #find(request: HttpRequest): Promise<FoundLogin> {
    const [, series, token, signature] = cookiePattern.exec(this.#cookie.read(request) ?? '') ?? [];
    if (series === undefined || token === undefined)
      throw new AuthenticationError('malformed', 'The remember-me cookie is malformed.');
    const isSigned = signature !== undefined;
    if (isSigned && !this.#signer.verify(signingPurpose, `${series}.${token}`, signature))
      throw new AuthenticationError('malformed', 'The remember-me cookie was changed.');
    const text = (await this.#store.get(seriesKey(series)))?.value;
    if (text === undefined) throw new AuthenticationError('token', 'The remembered login is unknown.');
    const login = JSON.parse(text) as RememberedLogin; // written by #put() below, in this or another process
    return { login, text, series, token, isSigned };
  }

  async #check(request: HttpRequest, found: FoundLogin, user: SecurityUser | undefined): Promise<void> {
    const { login, token, isSigned } = found;
    if (!(await this.isCurrentEra(login.identifier, login.era)))
      throw new AuthenticationError('token', 'The remembered logins of the user were ended after a theft.');
    const age = Date.now() - login.rotatedAt;
    const isCurrent = equalSecrets(hashToken(token), login.tokenHash);
    const isPrevious = equalSecrets(hashToken(token), login.previousHash ?? '');
    if (!isCurrent && !isPrevious && !isSigned)
      throw new AuthenticationError('malformed', 'The remember-me cookie was changed.');
    if (!isCurrent && !(isPrevious && age <= graceMs)) {
      await this.#store.put(eraKey(login.identifier), randomToken(12), { lifetime: this.#lifetime });
      throw new AuthenticationError(
        'theft',
        'A remember-me token was used again after it had been replaced.',
      );
    }
    if (user === undefined || !isFingerprintOf(this.#signer, user, login.fingerprint))
      throw new AuthenticationError('token', 'The user was removed or has a new password.');
    request.scope.set(rememberedEra, login.era);
    if (isCurrent && age > graceMs) await this.#rotate(request, found);
  }

  async #rotate(request: HttpRequest, { login, text, series }: FoundLogin): Promise<void> {
    const token = randomToken();
    const rotation = { tokenHash: hashToken(token), previousHash: login.tokenHash, rotatedAt: Date.now() };
    // A concurrent request may have replaced the token in the meantime; its response has the new cookie.
    if (await this.#put(series, { ...login, ...rotation }, text)) this.#setCookie(request, series, token);
  }

  #setCookie(request: HttpRequest, series: string, token: string): void {
    const text = `${series}.${token}`;
    const signature = this.#signer.sign(signingPurpose, text);
    request.scope.set(cookieToSet, this.#cookie.render(request, `${text}.${signature}`));
  }

  /** Adds a login (`expected: null`) or replaces it. Returns false if another request has changed it in the meantime. */
  async #put(series: string, login: RememberedLogin, expected: string | null): Promise<boolean> {
    return this.#store.put(seriesKey(series), JSON.stringify(login), { lifetime: this.#lifetime, expected });
  }
}

function seriesKey(series: string): string {
  return `login:${series}`;
}

/** Key of the user's era, which is stored at least as long as logins from an earlier era. */
function eraKey(identifier: string): string {
  return `era:${hashToken(identifier)}`;
}

/** Sets the cookie that a login, a logout or a failure has prepared for the response. */
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
