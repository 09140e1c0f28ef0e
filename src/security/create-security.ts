import { refuseUnknownOptions } from '#coded-error';
import type { ValueResolver } from '#controller';
import { type Dispatcher, createDispatcher } from '#events';
import type { HttpRequest } from '#http';
import type { KernelListener } from '#kernel';
import type { Logger } from '#log';
import type { SecurityToken } from './authentication/authenticator.js';
import { compileAccessRules } from './authorization/access-rules.js';
import {
  AccessDeniedError,
  type AccessDecision,
  createAuthenticatedVoter,
  type AccessRequirement,
  compileRoleHierarchy,
  createRoleVoter,
} from './authorization/decide-access.js';
import { compileFirewall, compileOpenFirewall } from './firewall/compile-firewall.js';
import { checkAccess, createCsrfListener, createIsGrantedListener } from './firewall/controller-checks.js';
import {
  createAccessDeniedListener,
  createAccessDescriber,
  createFirewallListener,
} from './firewall/firewall-listener.js';
import { storeTokenInSession } from './firewall/session-token.js';
import { createRememberMeListener } from './login/remember-me.js';
import { createCsrfGuard } from './requests/csrf-guard.js';
import { securityErrors } from './secrets/error-codes.js';
import { randomToken, type Signer, createSigner } from './secrets/signed-cookies.js';
import { type Security, type SecurityOptions, securityOptionNames } from './security.js';
import { createSessionListeners, type Sessions, createSessions } from './sessions/sessions.js';
import type { Firewall } from './state/firewall.js';
import { requestSecurity, securityOf, type SecurityServices } from './state/request-security.js';
import { loginSuccessEvent } from './state/security-events.js';
import { type ExpiringStore, createMemoryExpiringStore } from './stores/expiring-store.js';
import { createPasswords } from './users/passwords.js';
import type { SecurityUser } from './users/user-provider.js';

/**
 * Resolves the user as a controller argument. An anonymous visitor is sent to the login. `User` is the application's own
 * class, as its provider returns it.
 */
export function currentUser<User extends SecurityUser = SecurityUser>(): ValueResolver<User> {
  return {
    name: 'user',
    async resolve(request) {
      const token = await loadToken(request);
      if (token === undefined) throw new AccessDeniedError('You must be logged in to see this page.');
      return token.user as User; // created by the provider of the application
    },
  };
}

/** Resolves the user as a controller argument, or undefined for an anonymous visitor. */
export function optionalUser<User extends SecurityUser = SecurityUser>(): ValueResolver<User | undefined> {
  return {
    name: 'user',
    resolve: async (request) => (await loadToken(request))?.user as User | undefined, // created by the provider of the application
  };
}

/** Returns the token of the request; loads the user first if a lazy firewall has deferred that. */
async function loadToken(request: HttpRequest): Promise<SecurityToken | undefined> {
  const security = request.scope.get(requestSecurity);
  await security?.load();
  return security?.token;
}

/**
 * Creates the security of an application. Throws a coded error for invalid options, e.g. a weak secret, a firewall without
 * a user provider, or two entry points.
 */
export function createSecurity<User extends SecurityUser = SecurityUser>(
  options: SecurityOptions<User> = {},
): Security<User> {
  refuseUnknownOptions('createSecurity()', options, securityOptionNames);
  const signer = createSigner(options.secret ?? randomToken(), 'createSecurity');
  const sessions = makeSessions(options, signer);
  const csrf = options.csrf === false ? undefined : createCsrfGuard(options.csrf);
  const events = createEvents();
  const services: SecurityServices = {
    passwords: createPasswords(options.hashers),
    decider: {
      voters: [createAuthenticatedVoter(), createRoleVoter(), ...(options.voters ?? [])],
      strategy: options.decisions ?? {},
      reachableRoles: compileRoleHierarchy(options.roleHierarchy ?? {}),
    },
    sessions,
    store: sharedStoreOf(options),
    signer,
    csrf,
    events: events.dispatcher,
    audit: createAudit(options.log),
  };
  const set = {
    firewalls: makeFirewalls(options, signer, sessions),
    open: compileOpenFirewall(signer),
    rules: compileAccessRules(options.accessControl ?? []),
  };
  return {
    ...createControllerFunctions<User>(services),
    name: 'security',
    accessOf: createAccessDescriber(set, sessions === undefined ? undefined : cookieNameOf(options)),
    passwords: services.passwords,
    listeners: [
      events.listener,
      createFirewallListener(services, set),
      ...(csrf === undefined ? [] : [createCsrfListener(csrf)]),
      createIsGrantedListener(services),
      createAccessDeniedListener(services),
      createRememberMeListener(),
      ...(sessions === undefined ? [] : createSessionListeners(sessions)),
    ],
  };
}

type ControllerFunctions<User extends SecurityUser> = Omit<
  Security<User>,
  'name' | 'passwords' | 'listeners' | 'accessOf'
>;

function cookieNameOf({ sessions }: Pick<SecurityOptions, 'sessions'>): string {
  return (sessions === false ? undefined : sessions?.cookie?.name) ?? 'session';
}

function createControllerFunctions<User extends SecurityUser>(
  services: SecurityServices,
): ControllerFunctions<User> {
  const decide = (
    request: HttpRequest,
    requirement: AccessRequirement,
    subject?: unknown,
  ): Promise<AccessDecision> => checkAccess(services, request, { requirement, subject });
  return {
    token: loadToken,
    user: async (request) => (await loadToken(request))?.user as User | undefined, // created by the provider of the application
    currentUser: () => currentUser<User>(),
    optionalUser: () => optionalUser<User>(),
    decide,
    isGranted: async (...question) => (await decide(...question)).granted,
    async denyUnlessGranted(...question) {
      const decision = await decide(...question);
      if (!decision.granted) throw new AccessDeniedError(undefined, [decision]);
    },
    async logIn(request, user, options = {}) {
      const security = securityOf(request);
      const { firewall } = security;
      if (!firewall.isSecured)
        throw securityErrors.create('SECURITY_NO_PROVIDER', { firewall: firewall.name });
      await security.load();
      const made = { user, firewall: firewall.name, authenticator: 'code', strength: 'full' } as const;
      security.token = made;
      await storeTokenInSession(services, security, made);
      await firewall.rememberMe?.remember(security, user, { wanted: options.rememberMe === true });
      services.audit.info('Logged in by the application.', {
        firewall: firewall.name,
        user: user.identifier,
      });
      const event = { request, token: made, isInteractive: true, response: undefined };
      await services.events.dispatch(loginSuccessEvent, event);
    },
    session: async (request) => requireSessions(services).of(request).open(),
    sessionArgument: { name: 'session', resolve: (request) => requireSessions(services).of(request).open() },
    viewSession: async (request) => requireSessions(services).of(request).view(),
  };
}

function requireSessions({ sessions }: SecurityServices): Sessions {
  if (sessions === undefined)
    throw securityErrors.create('SECURITY_NO_SESSIONS', { what: 'security.session()' });
  return sessions;
}

function makeSessions({ sessions, secret }: SecurityOptions, signer: Signer): Sessions | undefined {
  if (sessions === false) return undefined;
  const store = sessions?.store;
  if (secret === undefined && store !== undefined && store.name !== 'memory') {
    throw securityErrors.create('SECURITY_SECRET_MISSING', { what: `A session store (${store.name})` });
  }
  return createSessions(signer, { ...sessions, store: store ?? createMemoryExpiringStore() });
}

/** Returns the session store, unless it is in memory: a flood of login attempts must not evict sessions from memory. */
function sharedStoreOf({ sessions }: SecurityOptions): ExpiringStore | undefined {
  const store = sessions === false ? undefined : sessions?.store;
  return store?.name === 'memory' ? undefined : store;
}

function makeFirewalls(
  options: SecurityOptions,
  signer: Signer,
  sessions: Sessions | undefined,
): readonly Firewall[] {
  const { provider } = options;
  const hasLastingSecret = options.secret !== undefined;
  const parts = {
    provider,
    signer,
    hasLastingSecret,
    hasSessions: sessions !== undefined,
    store: sharedStoreOf(options),
  };
  const firewalls = (options.firewalls ?? [{ name: 'main' }]).map((one) => compileFirewall(one, parts));
  const names = new Set<string>();
  for (const { name } of firewalls) {
    if (names.has(name)) throw securityErrors.create('SECURITY_DUPLICATE_FIREWALL', { name });
    names.add(name);
  }
  return firewalls;
}

/**
 * Creates a dispatcher that forwards events to the application's dispatcher, which is created later, once the listener is
 * added to it.
 */
function createEvents(): { dispatcher: Pick<Dispatcher, 'dispatch'>; listener: KernelListener } {
  let target: Dispatcher = createDispatcher();
  return {
    dispatcher: { dispatch: (type, event) => target.dispatch(type, event) },
    listener: {
      name: 'security events',
      priority: 0,
      addTo(dispatcher) {
        const before = target;
        target = dispatcher;
        return () => void (target = before);
      },
    },
  };
}

/** Creates a logger for the channel `security` of the application's log, which is created after its security. */
function createAudit(log: SecurityOptions['log']): SecurityServices['audit'] {
  let audit: Logger | undefined;
  const write =
    (level: 'info' | 'notice' | 'warning') =>
    (message: string, context?: unknown): void => {
      audit ??= log?.().channel('security');
      audit?.[level](message, context);
    };
  return { info: write('info'), notice: write('notice'), warning: write('warning') };
}
