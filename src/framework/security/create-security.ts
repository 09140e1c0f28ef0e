import {
  callable,
  checkOptions,
  either,
  flag,
  listOf,
  objectWith,
  oneOf,
  optionsSchema,
  type OptionsSchema,
  namesTo,
  text,
} from '#core/options';
import type { ValueResolver } from '#framework/controller';
import { type Dispatcher, createDispatcher } from '#core/events';
import type { HttpRequest } from '#core/http';
import type { KernelListener } from '#framework/kernel';
import type { Logger } from '#core/log';
import { type AccessRule, accessRuleSchema, compileAccessRules } from './authorization/access-rules.js';
import {
  AccessDeniedError,
  type AccessDecision,
  authenticatedVoter,
  type AccessRequirement,
  compileRoleHierarchy,
  roleVoter,
  type RoleHierarchy,
  type StrategyOptions,
  type Voter,
} from './authorization/decide-access.js';
import { type DeadRule, findDeadRules, refuseDeadRules } from './authorization/dead-rules.js';
import { checkAccess, createCsrfListener, isGrantedListener } from './firewall/controller-checks.js';
import {
  type AccessExplanation,
  type AskedRequest,
  createAccessExplainer,
} from './firewall/explain-access.js';
import {
  accessDeniedListener,
  createAccessDescriber,
  createFirewallListener,
  findFirewall,
  type FirewallSet,
  type RouteAccess,
} from './firewall/firewall-listener.js';
import { storeTokenInSession } from './firewall/session-token.js';
import { rememberMeListener } from './login/remember-me.js';
import { createCsrfGuard, type CsrfOptions } from './requests/csrf-guard.js';
import { badOption, securityErrors } from './secrets/error-codes.js';
import { randomToken, createSigner, signingSecret } from './secrets/signed-cookies.js';
import type { Session, SessionView } from './sessions/session.js';
import {
  createSessions,
  type Sessions,
  createSessionListeners,
  type SessionOptions,
  sessionSchema,
} from './sessions/sessions.js';
import {
  compileFirewall,
  type Firewall,
  type FirewallOptions,
  firewallSchema,
  userProvider,
} from './state/firewall.js';
import {
  callAsAsker,
  type DecisionAsker,
  loginSuccessEvent,
  requestSecurity,
  securityOf,
  type SecurityServices,
} from './state/request-security.js';
import { boundStore } from './stores/bound-store.js';
import { createMemoryExpiringStore, type ExpiringStore } from './stores/expiring-store.js';
import { createPasswords, type PasswordHasher, type Passwords } from './users/passwords.js';
import type { SecurityUser, UserProvider } from './users/user-provider.js';

/** A site's security configuration. Without firewalls and rules, everyone is admitted anonymously. */
export interface SecurityOptions<User extends SecurityUser = SecurityUser> {
  /** Firewalls for the parts of the site, tried in order. Default: one for the whole site. */
  readonly firewalls?: readonly FirewallOptions[];
  /** Who may send which requests: the first matching rule decides; a request without a rule is allowed. */
  readonly accessControl?: readonly AccessRule[];
  /** User provider for firewalls without their own provider. */
  readonly provider?: UserProvider<User>;
  /**
   * Secret for signing cookies: at least 32 random characters, the same in every process. With several, the first signs
   * and all verify. Default: a secret generated for this process, which is refused if signatures must outlive the
   * process (a store other than memory, for sessions or remember-me).
   */
  readonly secret?: string | readonly string[] | undefined;
  /** Default: sessions in this process's memory. False turns them off; every firewall is then stateless. */
  readonly sessions?: Partial<SessionOptions> | false;
  readonly roleHierarchy?: RoleHierarchy;
  /** Voters called after the two built-in ones, for authentication attributes and roles. */
  readonly voters?: readonly Voter[];
  readonly decisions?: StrategyOptions;
  /**
   * Hashers in addition to argon2id and scrypt, e.g. for old hashes; the first with `hash` creates new ones. Default:
   * none.
   */
  readonly hashers?: readonly PasswordHasher[];
  /** CSRF options. False turns CSRF protection off. */
  readonly csrf?: CsrfOptions | false;
  /** Log for logins, failures, denials and switches, on the channel `security`: `() => app.log`. Default: none. */
  readonly log?: () => Logger;
}

export const securitySchema: OptionsSchema<SecurityOptions> = optionsSchema<SecurityOptions>({
  firewalls: listOf(firewallSchema, 'a list of firewalls'),
  accessControl: listOf(accessRuleSchema, 'a list of access rules'),
  provider: userProvider,
  secret: signingSecret,
  sessions: either(sessionSchema, oneOf(false)),
  roleHierarchy: namesTo(listOf(text)),
  voters: listOf(objectWith<Voter>('a Voter', 'vote')),
  decisions: optionsSchema<StrategyOptions>({ strategy: oneOf('affirmative', 'unanimous') }),
  hashers: listOf(objectWith<PasswordHasher>('a PasswordHasher', 'verify', 'handles')),
  csrf: either(optionsSchema<CsrfOptions>({ trustedOrigins: listOf(text) }), oneOf(false)),
  log: callable(),
});

/**
 * An application's security: an extension for `createApp({ security })`, and functions for controllers. `User` is the
 * provider's user type; if firewalls have their own providers, pass the union of all user types to `createSecurity`.
 */
export interface Security<User extends SecurityUser = SecurityUser> {
  readonly name: 'security';
  /** Listeners for the application's dispatcher, which also dispatches the security events. */
  readonly listeners: readonly KernelListener[];
  readonly passwords: Passwords;
  /** Describes what the firewall, access rules and `isGranted` require for a request; calls no voters. */
  accessOf(request: HttpRequest, controller: unknown): RouteAccess;
  /** Finds access rules that match some of the requests but decide none, because an earlier rule does. */
  deadRules(requests: readonly HttpRequest[]): readonly DeadRule[];
  /** Explains which firewall, access rule and entry point apply to a hypothetical request; calls no voters. */
  explain(asked: AskedRequest): AccessExplanation;

  /** Returns the request's user; undefined if anonymous. */
  user(request: HttpRequest): Promise<User | undefined>;
  /**
   * Resolves the user as an argument, or redirects to the login: `withArguments([security.currentUser()], (user) =>
   * …)`.
   */
  currentUser(): ValueResolver<User>;
  /** Resolves the user as a controller argument, or undefined for an anonymous visitor. */
  optionalUser(): ValueResolver<User | undefined>;
  /** Returns whether the user meets the requirement (for the subject). */
  isGranted(request: HttpRequest, requirement: AccessRequirement, subject?: unknown): Promise<boolean>;
  /** Like `isGranted`, but returns the decision with all votes. */
  decide(request: HttpRequest, requirement: AccessRequirement, subject?: unknown): Promise<AccessDecision>;
  /** Throws an `AccessDeniedError` (403, or the login for an anonymous visitor) unless the requirement is met. */
  denyUnlessGranted(request: HttpRequest, requirement: AccessRequirement, subject?: unknown): Promise<void>;

  /**
   * Logs a user in from code, e.g. after a registration. Throws `SECURITY_NO_PROVIDER` in a firewall without security.
   */
  logIn(request: HttpRequest, user: SecurityUser, options?: LogInOptions): Promise<void>;
  /**
   * Opens the session and locks it for this request; changes are stored at the response event. Afterwards (in a stream,
   * a WebSocket handler), the session is read-only. Throws `SECURITY_FIREWALL_STATELESS` if there are no sessions.
   */
  session(request: HttpRequest): Promise<Session>;
  /** Resolves the session as a controller argument: `arguments: [security.sessionArgument]`. */
  readonly sessionArgument: ValueResolver<Session>;
  /** Reads the stored session without locking it; undefined if there is none, as in a stateless firewall. */
  viewSession(request: HttpRequest): Promise<SessionView | undefined>;
}

/** Resolves the user, with the provider's type, as an argument; an anonymous visitor is sent to the login. */
export function currentUser<User extends SecurityUser = SecurityUser>(): ValueResolver<User> {
  return {
    name: 'user',
    resolve(request) {
      const user = userOf<User>(request);
      if (user === undefined) throw new AccessDeniedError('You must be logged in to see this page.');
      return user;
    },
  };
}

/** Resolves the user as a controller argument, or undefined for an anonymous visitor. */
export function optionalUser<User extends SecurityUser = SecurityUser>(): ValueResolver<User | undefined> {
  return { name: 'user', resolve: (request) => userOf<User>(request) };
}

function userOf<User extends SecurityUser>(request: HttpRequest): User | undefined {
  return request.scope.get(requestSecurity)?.token?.user as User | undefined; // created by the application's provider
}

interface LogInOptions {
  readonly rememberMe?: boolean;
}

export const logInSchema: OptionsSchema<LogInOptions> = optionsSchema<LogInOptions>({ rememberMe: flag });

/** Throws a coded error for invalid options: a weak secret, a firewall without a user provider, two entry points … */
export function createSecurity<User extends SecurityUser = SecurityUser>(
  options: SecurityOptions<User> = {},
): Security<User> {
  checkOptions('createSecurity()', options, securitySchema);
  const firewalls = options.firewalls ?? [{ name: 'main' }];
  if (options.secret === undefined) refuseLastingStores(options);
  const signer = createSigner(options.secret ?? randomToken(), 'createSecurity');
  const given = options.sessions === false ? undefined : options.sessions;
  const store = given?.store && boundStore(given.store, given.storeTimeoutMilliseconds);
  const sessions =
    options.sessions === false
      ? undefined
      : createSessions(signer, { ...options.sessions, store: store ?? createMemoryExpiringStore() });
  const csrf = options.csrf === false ? undefined : createCsrfGuard(options.csrf);
  const events = createEvents();
  let audit: Logger | undefined;
  const services: SecurityServices = {
    passwords: createPasswords(options.hashers),
    decider: {
      voters: [authenticatedVoter, roleVoter, ...(options.voters ?? [])],
      strategy: options.decisions?.strategy,
      reachableRoles: compileRoleHierarchy(options.roleHierarchy ?? {}),
    },
    sessions,
    // A flood of login attempts must not evict sessions from memory.
    store: store?.name === 'memory' ? undefined : store,
    signer,
    csrf,
    events: events.dispatcher,
    audit: () => (audit ??= options.log?.().channel('security')),
  };
  const open = compileFirewall({ name: 'open', security: false }, { ...services, provider: undefined });
  const set = {
    firewalls: makeFirewalls(firewalls, options.provider, services),
    open: { ...open, noSession: 'no firewall covers this path' },
    broken: { ...open, noSession: undefined },
    rules: compileAccessRules(options.accessControl ?? []),
  };
  refuseDeadRules(firewalls, options.accessControl ?? []);
  return {
    ...createControllerFunctions<User>(services, set),
    name: 'security',
    deadRules: (requests) => findDeadRules(set.rules, requests),
    accessOf: createAccessDescriber(set, sessions?.cookieName),
    explain: createAccessExplainer(set),
    passwords: services.passwords,
    listeners: [
      events.listener,
      createFirewallListener(services, set),
      ...(csrf === undefined ? [] : [createCsrfListener(csrf)]),
      isGrantedListener,
      accessDeniedListener,
      rememberMeListener,
      ...(sessions === undefined ? [] : createSessionListeners(services.audit)),
    ],
  };
}

/**
 * Refuses stores that outlive the process: without a persistent secret, their entries could not be verified afterwards.
 */
function refuseLastingStores({ sessions, firewalls = [] }: SecurityOptions): void {
  const refuse = (store: ExpiringStore | undefined, whose: string): void => {
    if (store === undefined || store.name === 'memory') return;
    throw securityErrors.create('SECURITY_SECRET_MISSING', { what: `${whose} (${store.name})` });
  };
  if (sessions !== false) refuse(sessions?.store, 'A session store');
  for (const { rememberMe } of firewalls)
    if (typeof rememberMe === 'object') refuse(rememberMe.store, 'remember-me in a store');
}

function createControllerFunctions<User extends SecurityUser>(
  services: SecurityServices,
  set: FirewallSet,
): Omit<Security<User>, 'name' | 'passwords' | 'listeners' | 'accessOf' | 'deadRules' | 'explain'> {
  type Question = Parameters<Security['decide']>;
  const ask = ([request, requirement, subject]: Question, asker: DecisionAsker): Promise<AccessDecision> =>
    checkAccess(request, { requirement, subject, asker });
  const decide: Security['decide'] = (...question) => ask(question, callAsAsker('security.decide', decide));
  const isGranted: Security['isGranted'] = async (...question) =>
    (await ask(question, callAsAsker('security.isGranted', isGranted))).granted;
  const denyUnlessGranted: Security['denyUnlessGranted'] = async (...question) => {
    const asker = callAsAsker('security.denyUnlessGranted', denyUnlessGranted);
    const decision = await ask(question, asker);
    if (!decision.granted) throw new AccessDeniedError(undefined, [decision]);
  };
  const sessionsFor = (what: string): Sessions => {
    if (services.sessions !== undefined) return services.sessions;
    throw securityErrors.create('SECURITY_NO_SESSIONS', { what });
  };
  const openSession = async (request: HttpRequest): Promise<Session> => {
    const session = sessionsFor('security.session()').of(request);
    const { name, noSession } = findFirewall(set, request);
    if (noSession !== undefined)
      throw securityErrors.create('SECURITY_FIREWALL_STATELESS', { firewall: name, reason: noSession });
    return session.open();
  };
  return {
    user: async (request) => userOf<User>(request),
    currentUser: () => currentUser<User>(),
    optionalUser: () => optionalUser<User>(),
    decide,
    isGranted,
    denyUnlessGranted,
    async logIn(request, user, options = {}) {
      checkOptions('security.logIn()', options, logInSchema);
      const security = securityOf(request);
      const { firewall } = security;
      if (!firewall.isSecured)
        throw securityErrors.create('SECURITY_NO_PROVIDER', { firewall: firewall.name });
      const token = { user, firewall: firewall.name, authenticator: 'code', strength: 'full' } as const;
      security.token = token;
      await storeTokenInSession(security, token);
      await firewall.rememberMe?.remember(request, user, { wanted: options.rememberMe === true });
      const facts = { firewall: firewall.name, user: user.identifier };
      services.audit()?.info('Logged in by the application.', facts);
      const event = { request, token, isInteractive: true, response: undefined };
      await services.events.dispatch(loginSuccessEvent, event);
    },
    session: openSession,
    sessionArgument: { name: 'session', resolve: openSession },
    async viewSession(request) {
      const session = sessionsFor('security.viewSession()').of(request);
      return findFirewall(set, request).noSession === undefined ? session.view() : undefined;
    },
  };
}

function makeFirewalls(
  given: readonly FirewallOptions[],
  provider: UserProvider | undefined,
  services: SecurityServices,
): readonly Firewall[] {
  const parts = { ...services, provider };
  const firewalls = given.map((one) => compileFirewall(one, parts));
  const names = firewalls.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined)
    throw badOption('createSecurity', 'firewalls', `not unique: two are named "${twice}"`);
  const erasOf = ({ eras, sessionKey }: Firewall): Firewall['eras'] =>
    eras ?? firewalls.find((other) => other.eras !== undefined && other.sessionKey === sessionKey)?.eras;
  return firewalls.map((firewall) => ({ ...firewall, eras: erasOf(firewall) }));
}

/** Creates a dispatcher that forwards to the application's, which is created later and adds the listener. */
function createEvents(): { dispatcher: Pick<Dispatcher, 'dispatch'>; listener: KernelListener } {
  let target: Dispatcher = createDispatcher();
  return {
    dispatcher: { dispatch: (type, event) => target.dispatch(type, event) },
    listener: {
      name: 'security events',
      priority: 0,
      addTo(dispatcher) {
        target = dispatcher;
        return () => {};
      },
    },
  };
}
