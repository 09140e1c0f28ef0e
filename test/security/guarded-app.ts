import { annotate, type App, type AppRoute, type Configuration, createApp } from 'lookback';
import { controllerArguments } from 'lookback/controller';
import {
  createMemoryUserProvider,
  createSecurity,
  formLogin,
  optionalUser,
  type Security,
  type SecurityOptions,
  type SecurityUser,
} from 'lookback/security';
import { createCheapHasher } from './cheap-hasher.js';

/** Fast on purpose: the cost of a hash is not tested here. */
export const cheapHasher: ReturnType<typeof createCheapHasher> = createCheapHasher('cheap');

export const secret = 'a secret for this test that is long enough';

const [readerHash, adminHash] = await Promise.all([cheapHasher.hash('reader'), cheapHasher.hash('admin')]);
export const reader: SecurityUser = {
  identifier: 'reader',
  roles: ['ROLE_READER'],
  passwordHash: readerHash,
};
export const admin: SecurityUser = {
  identifier: 'admin',
  roles: ['ROLE_ADMIN', 'ROLE_ALLOWED_TO_SWITCH'],
  passwordHash: adminHash,
};

export type Users = ReturnType<typeof createMemoryUserProvider>;

export interface Guarded {
  readonly app: App;
  readonly security: Security;
  readonly users: Users;
}

/** Returns the user's name, the simplest fact for tests to check. */
export function whoAmI(user: SecurityUser | undefined): { readonly user: string | null } {
  return { user: user?.identifier ?? null };
}
annotate(whoAmI, controllerArguments.of([optionalUser()]));

const guardedByDefault = (users: Users): SecurityOptions => ({
  secret,
  provider: users,
  hashers: [cheapHasher],
  firewalls: [
    { name: 'main', authenticators: [formLogin()], logout: true, rememberMe: true, switchUser: true },
  ],
  roleHierarchy: { ROLE_ADMIN: ['ROLE_READER'] },
  accessControl: [
    { path: '/admin', allow: 'ROLE_ADMIN' },
    { path: '/vault', allow: 'IS_AUTHENTICATED_FULLY' },
    { path: '/members', allow: 'IS_AUTHENTICATED' },
  ],
});

const routes: readonly AppRoute[] = [
  { path: '/', name: 'home', controller: whoAmI },
  { path: '/login', name: 'login', methods: 'GET', controller: () => 'the form' },
  { path: '/admin', name: 'admin', controller: whoAmI },
  { path: '/admin/users', name: 'users', methods: ['GET', 'POST'], controller: whoAmI },
  { path: '/administrator', name: 'administrator', controller: whoAmI },
  { path: '/members', name: 'members', controller: whoAmI },
  { path: '/vault', name: 'vault', controller: whoAmI },
  { path: '/comments', name: 'comment', methods: 'POST', controller: whoAmI },
];

/** An application with a reader and an admin, and routes that require them. */
export function createGuardedApp(
  change: (options: SecurityOptions, users: Users) => SecurityOptions = (options) => options,
  more: readonly AppRoute[] = [],
  configuration: Partial<Configuration> = { debug: false, env: 'test', profilerStore: 'off' },
): Guarded {
  const users = createMemoryUserProvider([reader, admin]);
  const security = createSecurity(change(guardedByDefault(users), users));
  const app = createApp({
    configuration,
    logHandlers: [],
    routes: [...routes, ...more],
    security,
  });
  return { app, security, users };
}
