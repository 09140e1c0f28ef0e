import type { Authenticator } from '../authentication/authenticator.js';
import { type LoginThrottle, createLoginThrottle } from '../authentication/login-throttle.js';
import type { ExpiringStore } from '../stores/expiring-store.js';
import { securityErrors } from '../errors/error-codes.js';
import { createPersistentRememberMe } from '../remember-me/persistent-remember-me.js';
import { type RememberMe, type Firewall, compileLogout, compileSwitchUser } from '../state/firewall.js';
import { createSignedRememberMe } from '../remember-me/signed-remember-me.js';
import type { Signer } from '../secrets/signer.js';
import type { UserProvider } from '../users/user-provider.js';
import type { FirewallOptions } from './firewall-options.js';
import { compileConditions } from '../requests/request-matcher.js';

export interface FirewallParts {
  readonly provider: UserProvider | undefined;
  readonly signer: Signer;
  /** False if the secret was generated for this process only. */
  readonly hasLastingSecret: boolean;
  readonly hasSessions: boolean;
  /** Default store for counting login attempts. */
  readonly store: ExpiringStore | undefined;
}

const noUsers: UserProvider = { name: 'none', findUser: () => undefined };

/**
 * Compiles the options of a firewall. Throws a coded error for invalid combinations, so that they fail at the start and
 * not for a request.
 */
export function compileFirewall(options: FirewallOptions, parts: FirewallParts): Firewall {
  const isSecured = options.security ?? true;
  const { secondFactor } = options;
  const given = isSecured ? (options.authenticators ?? []) : [];
  const authenticators = secondFactor === undefined ? given : [...given, secondFactor.authenticator];
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
  if (secondFactor !== undefined && isStateless) {
    throw securityErrors.create('SECURITY_NO_SESSIONS', { what: `The second factor of "${options.name}"` });
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
    secondFactor,
    throttle: compileThrottle(options, parts.store),
    logout: compileIfEnabled(options.logout, compileLogout),
    switchUser: compileIfEnabled(options.switchUser, compileSwitchUser),
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

function compileIfEnabled<Options extends object, Made>(
  wanted: boolean | Options | undefined,
  compile: (options: Options | Record<never, never>) => Made,
): Made | undefined {
  if (wanted === undefined || wanted === false) return undefined;
  return compile(wanted === true ? {} : wanted);
}

function compileRememberMe(
  { rememberMe }: FirewallOptions,
  { signer, hasLastingSecret }: FirewallParts,
): RememberMe | undefined {
  if (rememberMe === undefined || rememberMe === false) return undefined;
  if (!hasLastingSecret) throw securityErrors.create('SECURITY_SECRET_MISSING', { what: 'remember-me' });
  const options = rememberMe === true ? {} : rememberMe;
  return options.store === undefined
    ? createSignedRememberMe(signer, options)
    : createPersistentRememberMe(signer, options.store, options);
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
