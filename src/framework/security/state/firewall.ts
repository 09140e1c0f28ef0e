import {
  callable,
  either,
  flag,
  listOf,
  objectWith,
  oneOf,
  optionsSchema,
  type OptionsSchema,
  type OptionType,
  required,
  text,
} from '#core/options';
import type { HttpRequest, HttpResponse } from '#core/http';
import type { Authenticator } from '../authentication/authenticator.js';
import {
  type LoginThrottle,
  type LoginThrottleOptions,
  createLoginThrottle,
  loginThrottleSchema,
} from '../authentication/login-throttle.js';
import type { AccessDeniedError } from '../authorization/decide-access.js';
import { RememberMe, type RememberMeOptions, rememberMeSchema } from '../login/remember-me.js';
import { type PathOf, targetPath } from '../login/target-path.js';
import {
  type RequestConditions,
  compileConditions,
  requestConditionTypes,
} from '../requests/request-conditions.js';
import { badOption, securityErrors } from '../secrets/error-codes.js';
import type { Signer } from '../secrets/signed-cookies.js';
import type { ExpiringStore } from '../stores/expiring-store.js';
import type { UserProvider } from '../users/user-provider.js';

/** A compiled firewall: the protection for one part of the site. Shared by all requests. */
export interface Firewall extends Pick<FirewallOptions, 'name' | 'accessDenied'> {
  readonly matches: (request: HttpRequest) => boolean;
  /** If false, everyone is admitted anonymously and nothing is checked. */
  readonly isSecured: boolean;
  readonly isStateless: boolean;
  /** Why this firewall has no session; undefined if it has one. */
  readonly noSession: string | undefined;
  readonly provider: UserProvider;
  readonly authenticators: readonly Authenticator[];
  /** The authenticator that anonymous visitors are sent to. */
  readonly entryPoint: Authenticator | undefined;
  readonly rememberMe: RememberMe | undefined;
  /** Knows remembered logins' eras, for this firewall or one that shares its logins. */
  readonly eras: Pick<RememberMe, 'isCurrentEra'> | undefined;
  readonly throttle: LoginThrottle | undefined;
  readonly logout: LogoutOptions | undefined;
  readonly switchUser: boolean;
  /** The token's session key; firewalls with the same key share their logins. */
  readonly sessionKey: string;
}

type ClearSiteData = 'cache' | 'cookies' | 'storage' | 'executionContexts' | '*';

export interface LogoutOptions {
  /** Path that the logout is posted to; needs no route. Default `/logout`. */
  readonly path?: string | ((request: HttpRequest) => boolean);
  /** Path to redirect to after the logout. Default `/`. */
  readonly target?: PathOf;
  /** Data that the browser must delete (`Clear-Site-Data`). Default `cookies` and `storage`; `[]` sends no header. */
  readonly clearSiteData?: readonly ClearSiteData[];
}

/** The protection for one part of a site. The first firewall whose conditions match a request applies to it. */
export interface FirewallOptions extends Omit<RequestConditions, 'route'> {
  /** Unique name, shown in records. */
  readonly name: string;
  /**
   * False to admit everyone anonymously without any checks: neither access rules nor CSRF checks apply, and there are
   * no sessions. Default true.
   */
  readonly security?: boolean;
  /** True to have no sessions: every request must carry credentials. Default false. */
  readonly stateless?: boolean;
  /** User source. Default: the provider passed to `createSecurity`. */
  readonly provider?: UserProvider;
  /** Authenticators in the order they are tried. */
  readonly authenticators?: readonly Authenticator[];
  /** Name of the authenticator that anonymous visitors are sent to. Needed only if several can start a login. */
  readonly entryPoint?: string;
  /** Remembers users after their session has ended. Default: off. */
  readonly rememberMe?: boolean | RememberMeOptions;
  /** Answers requests to the logout path. Default: no logout. */
  readonly logout?: boolean | LogoutOptions;
  /** Users with `ROLE_ALLOWED_TO_SWITCH` may act as others: `?_switch_user=ada`, ended by `_exit`. Default false. */
  readonly switchUser?: boolean;
  /** Limits failed logins. Default: per minute, five for one user from one address, and twenty-five for one address. */
  readonly throttle?: false | LoginThrottle | LoginThrottleOptions;
  /** Firewalls with the same context share their logins. Default: the name. */
  readonly context?: string;
  /** Answers a known user without access. If it returns undefined, the 403 page is sent. */
  readonly accessDenied?: (
    request: HttpRequest,
    error: AccessDeniedError,
  ) => HttpResponse | undefined | Promise<HttpResponse | undefined>;
}

const { route: _route, ...conditions } = requestConditionTypes;

const logoutSchema: OptionsSchema<LogoutOptions> = optionsSchema<LogoutOptions>({
  path: either(text, callable<(request: HttpRequest) => boolean>()),
  target: targetPath,
  clearSiteData: listOf(oneOf('cache', 'cookies', 'storage', 'executionContexts', '*')),
});

/** The type of options that are user providers. */
export const userProvider: OptionType<UserProvider> = objectWith('a UserProvider', 'findUser');

export const firewallSchema: OptionsSchema<FirewallOptions> = optionsSchema<FirewallOptions>({
  ...conditions,
  name: required(text),
  security: flag,
  stateless: flag,
  provider: userProvider,
  authenticators: listOf(objectWith<Authenticator>('an Authenticator', 'supports', 'authenticate')),
  entryPoint: text,
  rememberMe: either(flag, rememberMeSchema),
  logout: either(flag, logoutSchema),
  switchUser: flag,
  throttle: either(
    oneOf(false),
    either(objectWith<LoginThrottle>('a LoginThrottle', 'take', 'settle'), loginThrottleSchema),
  ),
  context: text,
  accessDenied: callable(),
});

interface FirewallParts {
  readonly provider: UserProvider | undefined;
  readonly signer: Signer;
  /** Undefined if they are turned off. */
  readonly sessions: object | undefined;
  /** The session store if all processes share it: for counting login attempts and for remembered logins. */
  readonly store: ExpiringStore | undefined;
}

const noUsers: UserProvider = { name: 'none', findUser: () => undefined };

/** Compiles a firewall. Throws a coded error for invalid combinations, so that they fail at startup. */
export function compileFirewall(options: FirewallOptions, parts: FirewallParts): Firewall {
  const isSecured = options.security ?? true;
  const authenticators = isSecured ? (options.authenticators ?? []) : [];
  const provider = options.provider ?? parts.provider;
  const remembering: RememberMeOptions | undefined = isSecured ? ifEnabled(options.rememberMe) : undefined;
  if (provider === undefined && (authenticators.length > 0 || remembering !== undefined))
    throw securityErrors.create('SECURITY_NO_PROVIDER', { firewall: options.name });
  const isStateless = options.stateless ?? parts.sessions === undefined;
  if (!isStateless && parts.sessions === undefined)
    throw securityErrors.create('SECURITY_NO_SESSIONS', { what: `The firewall "${options.name}"` });
  const rememberMe = remembering && new RememberMe(parts.signer, parts.store, remembering);
  return {
    name: options.name,
    matches: compileConditions(options),
    isSecured,
    isStateless,
    noSession: isSecured ? (isStateless ? 'it is stateless' : undefined) : 'its security is off',
    provider: provider ?? noUsers,
    authenticators,
    entryPoint: findEntryPoint(options, authenticators),
    rememberMe,
    eras: rememberMe,
    throttle: compileThrottle(options, parts.store),
    logout: ifEnabled(options.logout),
    switchUser: options.switchUser ?? false,
    sessionKey: `_security.${options.context ?? options.name}`,
    ...(options.accessDenied === undefined ? {} : { accessDenied: options.accessDenied }),
  };
}

/** Returns a feature's options if it is turned on, otherwise undefined. */
function ifEnabled<Options extends object>(
  wanted: boolean | Options | undefined,
): Options | Record<never, never> | undefined {
  return wanted === true ? {} : wanted === false ? undefined : wanted;
}

function compileThrottle(
  { throttle, name }: FirewallOptions,
  store: ExpiringStore | undefined,
): LoginThrottle | undefined {
  if (throttle === false) return undefined;
  return throttle !== undefined && 'take' in throttle
    ? throttle
    : createLoginThrottle({ name, store, ...throttle });
}

function findEntryPoint(
  { name: firewall, entryPoint }: FirewallOptions,
  authenticators: readonly Authenticator[],
): Authenticator | undefined {
  const names = authenticators.map(({ name }) => name).join(', ');
  if (entryPoint !== undefined) {
    const named = authenticators.find(({ name }) => name === entryPoint);
    if (named !== undefined) return named;
    throw badOption(`the firewall "${firewall}"`, 'entryPoint', `"${entryPoint}"; use one of: ${names}`);
  }
  const [first, second] = authenticators.filter((one) => one.challenge !== undefined);
  if (first !== undefined && second !== undefined) {
    throw securityErrors.create('SECURITY_ENTRY_POINT', { firewall, names, first: first.name });
  }
  return first;
}
