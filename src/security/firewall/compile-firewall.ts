import { type OptionNames, optionNames } from '#coded-error';
import type { Authenticator } from '../authentication/authenticator.js';
import {
  type LoginThrottle,
  type LoginThrottleOptions,
  createLoginThrottle,
} from '../authentication/login-throttle.js';
import { securityErrors } from '../secrets/error-codes.js';
import { createPersistentRememberMe } from '../login/remember-me.js';
import { type RequestConditions, compileConditions } from '../requests/request-conditions.js';
import type { Signer } from '../secrets/signed-cookies.js';
import {
  type AnswerDenial,
  type LogoutOptions,
  type RememberMeOptions,
  type SwitchUserOptions,
  type RememberMe,
  type Firewall,
} from '../state/firewall.js';
import { type ExpiringStore, createMemoryExpiringStore } from '../stores/expiring-store.js';
import type { UserProvider } from '../users/user-provider.js';

/** The protection of one part of a site. The first firewall whose conditions match a request applies to it. */
export interface FirewallOptions extends Omit<RequestConditions, 'route'> {
  /** Unique name, shown in records. */
  readonly name: string;
  /** False to admit everyone anonymously and to check nothing, not even the access rules. Default true. */
  readonly security?: boolean;
  /** True to use no sessions: every request must carry credentials. Default false. */
  readonly stateless?: boolean;
  /** True to load session and user only when the user is needed, on safe methods. Default false. */
  readonly lazy?: boolean;
  /** Source of the users. Default: the provider passed to `createSecurity`. */
  readonly provider?: UserProvider;
  /** Authenticators in the order in which they are tried. */
  readonly authenticators?: readonly Authenticator[];
  /** Name of the authenticator that anonymous visitors are sent to. Needed only if several can start a login. */
  readonly entryPoint?: string;
  /** Remembers users after their session has ended. Default: off. */
  readonly rememberMe?: boolean | RememberMeOptions;
  /** Answers requests to the logout path. Default: no logout. */
  readonly logout?: boolean | LogoutOptions;
  /** Lets users act as other users. Default: off. */
  readonly switchUser?: boolean | SwitchUserOptions;
  /** Limits failed logins. Default: per minute, five for one user from one address, and twenty-five for one address. */
  readonly throttle?: false | LoginThrottle | LoginThrottleOptions;
  /** Firewalls with the same context share their logins. Default: the name. */
  readonly context?: string;
  /** Answers a known user without access. If it returns undefined, the 403 page is sent. */
  readonly accessDenied?: AnswerDenial;
}

export const firewallOptionNames: OptionNames<FirewallOptions> = optionNames(
  'path host methods ips when name security stateless lazy provider authenticators entryPoint throttle context accessDenied',
  {
    rememberMe: { store: true, lifetimeSeconds: true, always: true, cookie: true },
    logout: { path: true, methods: true, target: true, clearSiteData: true },
    switchUser: { parameter: true, attribute: true },
  },
);

interface FirewallParts {
  readonly provider: UserProvider | undefined;
  readonly signer: Signer;
  /** False if the secret was generated for this process only. */
  readonly hasLastingSecret: boolean;
  readonly hasSessions: boolean;
  /** The session store if all processes share it: for counts of login attempts and for remembered logins. */
  readonly store: ExpiringStore | undefined;
}

const noUsers: UserProvider = { name: 'none', findUser: () => undefined };

/**
 * Compiles the options of a firewall. Throws a coded error for invalid combinations, so that they fail at the start and
 * not for a request.
 */
export function compileFirewall(options: FirewallOptions, parts: FirewallParts): Firewall {
  const isSecured = options.security ?? true;
  const authenticators = isSecured ? (options.authenticators ?? []) : [];
  const provider = options.provider ?? parts.provider;
  const rememberMe = isSecured ? compileRememberMe(options, parts) : undefined;
  const needsUsers = authenticators.length > 0 || rememberMe !== undefined;
  if (provider === undefined && needsUsers) {
    throw securityErrors.create('SECURITY_NO_PROVIDER', { firewall: options.name });
  }
  const isStateless = options.stateless ?? !parts.hasSessions;
  if (!isStateless && !parts.hasSessions) {
    throw securityErrors.create('SECURITY_NO_SESSIONS', { what: `The firewall "${options.name}"` });
  }
  return {
    name: options.name,
    matches: compileConditions(options),
    isSecured,
    isStateless,
    isLazy: options.lazy ?? false,
    provider: provider ?? noUsers,
    authenticators,
    entryPoint: findEntryPoint(options, authenticators),
    rememberMe,
    throttle: compileThrottle(options, parts.store),
    logout: ifEnabled(options.logout),
    switchUser: ifEnabled(options.switchUser),
    sessionKey: `_security.${options.context ?? options.name}`,
    accessDenied: options.accessDenied,
  };
}

/** Creates the firewall for requests that no other one matches; it admits everyone. */
export function compileOpenFirewall(signer: Signer): Firewall {
  return compileFirewall(
    { name: 'open', security: false },
    { provider: undefined, signer, hasLastingSecret: false, hasSessions: false, store: undefined },
  );
}

/** Returns the options of a feature that is turned on; undefined if it is off. */
function ifEnabled<Options extends object>(
  wanted: boolean | Options | undefined,
): Options | Record<never, never> | undefined {
  return wanted === true ? {} : wanted === false ? undefined : wanted;
}

function compileRememberMe(
  { rememberMe }: FirewallOptions,
  { signer, hasLastingSecret, store }: FirewallParts,
): RememberMe | undefined {
  const options: RememberMeOptions | undefined = ifEnabled(rememberMe);
  if (options === undefined) return undefined;
  const chosen = options.store ?? store ?? createMemoryExpiringStore();
  if (!hasLastingSecret && chosen.name !== 'memory')
    throw securityErrors.create('SECURITY_SECRET_MISSING', {
      what: `remember-me in a store (${chosen.name})`,
    });
  return createPersistentRememberMe(signer, chosen, options);
}

function compileThrottle(
  { throttle, name }: FirewallOptions,
  store: ExpiringStore | undefined,
): LoginThrottle | undefined {
  if (throttle === false) return undefined;
  if (throttle !== undefined && 'take' in throttle) return throttle;
  return createLoginThrottle({ name, ...(store === undefined ? {} : { store }), ...throttle });
}

function findEntryPoint(
  { name: firewall, entryPoint }: FirewallOptions,
  authenticators: readonly Authenticator[],
): Authenticator | undefined {
  const names = authenticators.map(({ name }) => name).join(', ');
  if (entryPoint !== undefined) {
    const named = authenticators.find(({ name }) => name === entryPoint);
    if (named !== undefined) return named;
    throw securityErrors.create('SECURITY_UNKNOWN_ENTRY_POINT', { firewall, name: entryPoint, names });
  }
  const [first, second] = authenticators.filter((one) => one.challenge !== undefined);
  if (first !== undefined && second !== undefined) {
    throw securityErrors.create('SECURITY_ENTRY_POINT', { firewall, names, first: first.name });
  }
  return first;
}
