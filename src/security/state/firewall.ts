import type { HttpRequest, HttpResponse } from '#http';
import type { Authenticator } from '../authentication/authenticator.js';
import type { LoginThrottle } from '../authentication/login-throttle.js';
import type { AccessDeniedError } from '../authorization/access-denied-error.js';
import type { UserProvider, SecurityUser } from '../users/user-provider.js';
import type { ExpiringStore } from '../stores/expiring-store.js';

/** A firewall made ready: who is let in, and how, in one part of the site. Shared by all requests. */
export interface Firewall {
  readonly name: string;
  readonly matches: (request: HttpRequest) => boolean;
  /** False admits everyone anonymously; nothing else is checked. */
  readonly isSecured: boolean;
  readonly isStateless: boolean;
  readonly isLazy: boolean;
  readonly provider: UserProvider;
  readonly authenticators: readonly Authenticator[];
  /** The authenticator that strangers are sent to. */
  readonly entryPoint: Authenticator | undefined;
  readonly rememberMe: RememberMe | undefined;
  readonly secondFactor: SecondFactor | undefined;
  readonly throttle: LoginThrottle | undefined;
  readonly logout: Logout | undefined;
  readonly switchUser: SwitchUser | undefined;
  /** Key of the session value; firewalls with the same one share their logins. */
  readonly sessionKey: string;
  readonly accessDenied: AnswerDenial | undefined;
}

/** Answers a known user without access; undefined uses the 403 page. */
export type AnswerDenial = (
  request: HttpRequest,
  error: AccessDeniedError,
) => HttpResponse | undefined | Promise<HttpResponse | undefined>;

/**
 * The step after the first factor (`totp(...)`). Until it is passed, the request is anonymous to every rule, voter and
 * controller; only `IS_AUTHENTICATED_2FA_IN_PROGRESS` holds.
 */
export interface SecondFactor {
  /** Whether this user needs one. */
  isRequired(user: SecurityUser): boolean | Promise<boolean>;
  /** Checks the code. Its name appears in the attempts of records. */
  readonly authenticator: Authenticator;
  /**
   * Answers a first factor that was given, and later each request that is denied: the way to the code's form. `target` comes
   * with the former: the path that the first step was asked to lead to, or null for none.
   */
  challenge(request: HttpRequest, target?: string | null): HttpResponse;
}

export interface RememberMeOptions {
  /** Keeps an entry for each device, with a token that changes at use, and detects theft. Without it the cookie is only signed. */
  readonly store?: ExpiringStore;
  /** Default 31,536,000: a year. */
  readonly lifetimeSeconds?: number;
  /** Remembers without being asked. Default false. */
  readonly always?: boolean;
  /** Default `remember_me`; over HTTPS with the prefix `__Host-`. */
  readonly cookie?: string;
  readonly sameSite?: 'Strict' | 'Lax';
}

/** Where a cookie is left for the response: the security of the request. */
interface RememberMeSlot {
  rememberMeCookie: string | undefined;
}

/** Brings users back after their session is gone, by a cookie bound to user, password and (with a store) device. */
export interface RememberMe {
  /** Reads the cookie. */
  readonly authenticator: Authenticator;
  /** After a full login: a cookie if it was requested, else none. */
  remember(
    request: HttpRequest,
    user: SecurityUser,
    options: { readonly wanted: boolean; readonly security: RememberMeSlot },
  ): Promise<void>;
  /** Removes the cookie, and the device where there is a store. */
  forget(request: HttpRequest, security: RememberMeSlot): Promise<void>;
}

type ClearSiteData = 'cache' | 'cookies' | 'storage' | 'executionContexts' | '*';

export interface LogoutOptions {
  /** Where the logout is posted to. Default `/logout`. No route is needed. */
  readonly path?: string | ((request: HttpRequest) => boolean);
  /** Default `POST`: by GET, any page could log its visitors out with an image. */
  readonly methods?: readonly string[];
  /** Where it leads. Default `/`. */
  readonly target?: string | ((request: HttpRequest) => string);
  /** What the browser has to forget. Default `cookies` and `storage`; an empty list sends no header. */
  readonly clearSiteData?: readonly ClearSiteData[];
}

/** How a firewall lets its users go. */
export interface Logout {
  matches(request: HttpRequest): boolean;
  readonly target: (request: HttpRequest) => string;
  readonly clearSiteData: readonly ClearSiteData[];
}

export function compileLogout(options: LogoutOptions): Logout {
  const { path = '/logout', target = '/' } = options;
  const methods = new Set(options.methods ?? ['POST']);
  return {
    matches: (request) =>
      methods.has(request.method) && (typeof path === 'string' ? request.path === path : path(request)),
    target: (request) => (typeof target === 'string' ? target : target(request)),
    clearSiteData: options.clearSiteData ?? ['cookies', 'storage'],
  };
}

export interface SwitchUserOptions {
  /** Query parameter with the other user's identifier. Default `_switch_user`; its value `_exit` ends it. */
  readonly parameter?: string;
  /** What one must be allowed, with the other user as subject. Default `ROLE_ALLOWED_TO_SWITCH`. */
  readonly attribute?: string;
}

export type SwitchUser = Required<SwitchUserOptions>;

export function compileSwitchUser(options: SwitchUserOptions): SwitchUser {
  const { parameter = '_switch_user', attribute = 'ROLE_ALLOWED_TO_SWITCH' } = options;
  return { parameter, attribute };
}
