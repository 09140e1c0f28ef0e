import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../dist/bundle/index.js';
import { createLocale } from '../../dist/bundle/locale.js';
import { createPersistence, withBehaviours } from '../../dist/bundle/persistence.js';
import { createLookupUserProvider, createSecurity } from '../../dist/bundle/security.js';
import { openJournal, showPage } from './journal.mjs';
import { visitorCount } from './visitors.mjs';

const signIn = {
  name: 'bench',
  isInteractive: true,
  supports: (request) => request.path === '/sign-in',
  authenticate: (request) => ({ identifier: request.query.get('user'), badges: [] }),
};

/** A whole application: three languages, users with sessions, an access rule, a unit of work, five log lines and three queries. */
export async function startLookbackApplication(title, { store, ...more }) {
  const folder = store === 'sqlite' ? mkdtempSync(join(tmpdir(), 'lookback-bench-')) : undefined;
  const orm = await openJournal((options) => withBehaviours(options, { defaultLocale: 'en' }));
  const persistence = createPersistence({ orm });
  const provider = createLookupUserProvider((identifier) => ({ identifier, roles: ['ROLE_READER'] }));
  const app = createApp({
    configuration: {
      env: 'dev',
      debug: true,
      profilerStore: store === 'off' ? 'off' : `sqlite:${folder}/profiler.db`,
    },
    locale: createLocale({ enabled: ['en', 'de', 'fr'] }),
    persistence,
    security: createSecurity({
      provider,
      firewalls: [{ name: 'main', authenticators: [signIn] }],
      accessControl: [{ path: '/journal', allow: 'ROLE_READER' }],
    }),
  });
  app.get('/sign-in', () => 'Signed in.');
  app.get(
    '/journal/{name}',
    ({ request, params, query, locale, user, log }) =>
      showPage(persistence.entityManager(request), {
        log: { info: (context, message) => log.info(message, context) },
        name: params.name,
        topic: query.get('topic') ?? 'news',
        locale,
        user: user.identifier,
      }),
    { name: 'journal' },
  );
  const server = await app.listen({ host: '127.0.0.1', port: 0 });
  const cookies = [];
  for (let visitor = 0; visitor < visitorCount; visitor++) {
    const response = await fetch(`${server.url}/sign-in?user=visitor-${visitor}`, { redirect: 'manual' });
    cookies.push(response.headers.getSetCookie()[0].split(';', 1)[0]);
  }
  return {
    title,
    port: server.port,
    path: '/journal/{name}',
    cookies,
    ...more,
    async stop() {
      await app.close();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
