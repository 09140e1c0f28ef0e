import { join } from 'node:path';
import type { Extension, Logger } from 'lookback';
import {
  accessToken,
  createLookupUserProvider,
  createSecurity,
  createSqliteExpiringStore,
  listedTokens,
  type Security,
} from 'lookback/security';
import type { Database } from './database/database.js';
import { createJournalLogin, languageOf } from './journal-login.js';
import { openSqlite } from './open-sqlite.js';
import type { JournalSettings } from './settings.js';

/** A token that anyone may use here: it gives access to public content only. */
export const demoToken = 'journal-demo-token';

export interface SecurityParts {
  readonly settings: JournalSettings;
  readonly database: () => Database;
  readonly log: () => Logger;
}

/** Access to the journal: two firewalls, one rule for each protected path, and users in the database. */
export function createJournalSecurity({ settings, database, log }: SecurityParts): Security & Extension {
  const file = openSqlite(join(settings.folder, 'sessions.db'));
  const store = createSqliteExpiringStore(file);
  const security: Security = createSecurity({
    secret: settings.secret,
    provider: createLookupUserProvider((name) => database().findUser(name), {
      savePasswordHash: ({ identifier }, hash) => database().saveHash(identifier, hash),
    }),
    roleHierarchy: { ROLE_ADMIN: ['ROLE_EDITOR'], ROLE_EDITOR: ['ROLE_READER'] },
    firewalls: [
      {
        name: 'api',
        path: '/api',
        stateless: true,
        authenticators: [accessToken({ handler: listedTokens({ [demoToken]: 'reader' }) })],
      },
      {
        name: 'main',
        authenticators: [createJournalLogin(() => security)],
        rememberMe: { store },
        logout: {
          path: (request) => /^\/(?:en|fr|de)\/logout$/.test(request.path),
          target: (request) => `/${languageOf(request)}`,
          clearSiteData: ['storage'], // the reader's language is in a cookie, and stays
        },
      },
    ],
    accessControl: [
      { path: '/admin', allow: 'ROLE_ADMIN' },
      { path: '/api', allow: 'IS_AUTHENTICATED' },
    ],
    sessions: { store },
    log,
  });
  return { ...security, close: () => Promise.resolve(file.close()) };
}
