import type { HttpRequest, HttpResponse } from '#http';
import type { Authenticator } from '../authentication/authenticator.js';
import type { LoginThrottle } from '../authentication/login-throttle.js';
import type { AccessDeniedError } from '../authorization/decide-access.js';
import type { UserProvider, SecurityUser } from '../users/user-provider.js';
import type { ExpiringStore } from '../stores/expiring-store.js';

/** A compiled firewall: the protection of one part of the site. Shared by all requests. */
export interface Firewall {
  readonly name: string;
  readonly matches: (request: HttpRequest) => boolean;
  /** If false, everyone is admitted anonymously and nothing is checked. */
  readonly isSecured: boolean;
  readonly isStateless: boolean;
  readonly isLazy: boolean;
  readonly provider: UserProvider;
  readonly authenticators: readonly Authenticator[];
  /** The authenticator that anonymous visitors are sent to. */
  readonly entryPoint: Authenticator | undefined;
  readonly rememberMe: RememberMe | undefined;
  readonly throttle: LoginThrottle | undefined;
  readonly logout: LogoutOptions | undefined;
  readonly switchUser: SwitchUserOptions | undefined;
  /** Session key of the token; firewalls with the same key share their logins. */
  readonly sessionKey: string;
  readonly accessDenied: AnswerDenial | undefined;
}

/** Answers a known user without access. If it returns undefined, the 403 page is sent. */
export type AnswerDenial = (
  request: HttpRequest,
  error: AccessDeniedError,
) => HttpResponse | undefined | Promise<HttpResponse | undefined>;

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

/** The part of `RequestSecurity` that remember-me uses; it stores the cookie until the response event. */
interface RememberMeSlot {
  readonly request: HttpRequest;
  rememberMeCookie: string | undefined;
}

/** Restores users after their session has ended, with a cookie bound to user, password and device. */
export interface RememberMe {
  /** Authenticator that reads the cookie. */
  readonly authenticator: Authenticator;
  /** Called after a full login: sets the cookie if `wanted`, otherwise removes it. */
  remember(slot: RememberMeSlot, user: SecurityUser, options: { readonly wanted: boolean }): Promise<void>;
  /** Removes the cookie and the device. */
  forget(slot: RememberMeSlot): Promise<void>;
}

type ClearSiteData = 'cache' | 'cookies' | 'storage' | 'executionContexts' | '*';

export interface LogoutOptions {
  /** Path that the logout is posted to; needs no route. Default `/logout`. */
  readonly path?: string | ((request: HttpRequest) => boolean);
  /** Default `POST`: with GET, any page could log its visitors out with an image. */
  readonly methods?: readonly string[];
  /** Path to redirect to after the logout. Default `/`. */
  readonly target?: string | ((request: HttpRequest) => string);
  /**
   * Data that the browser must delete (`Clear-Site-Data`). Default `cookies` and `storage`; an empty list sends no
   * header.
   */
  readonly clearSiteData?: readonly ClearSiteData[];
}

export interface SwitchUserOptions {
  /** Query parameter with the identifier of the other user; the value `_exit` switches back. Default `_switch_user`. */
  readonly parameter?: string;
  /** Attribute that is required, with the other user as the subject. Default `ROLE_ALLOWED_TO_SWITCH`. */
  readonly attribute?: string;
}
