import type { App, AppOptions } from 'lookback';
import { createApp, readConfiguration } from 'lookback';
import { apiRoutes } from './controllers/api-routes.js';
import { AdminController } from './controllers/admin-controller.js';
import { ArticleController } from './controllers/article-controller.js';
import { EditController } from './controllers/edit-controller.js';
import { addSiteRoutes } from './controllers/site-routes.js';
import { createDatabase, type Database } from './database/database.js';
import { addFailures } from './failures/add-failures.js';
import { languagePath, locale } from './languages.js';
import { createJournalSecurity } from './security.js';
import { createSite } from './site.js';
import { readSettings } from './settings.js';

export type DemoOptions = Pick<AppOptions, 'configuration' | 'logHandlers'> & {
  /** Replaces `process.env`. */
  readonly variables?: NodeJS.ProcessEnv;
};

/** The application that `npm start` serves: a small journal. It has no route for /robots.txt. */
export async function createDemo({ variables = process.env, ...options }: DemoOptions = {}): Promise<App> {
  const configuration = { ...readConfiguration(variables), ...options.configuration };
  const settings = readSettings(variables);
  const security = createJournalSecurity({ settings, database: () => database, log: () => app.log });
  const database: Database = await createDatabase(settings, security.passwords);
  const site = createSite(security);
  const services = { database, security, site, isDebug: configuration.debug };
  const app: App = createApp({
    ...options,
    configuration,
    locale,
    security,
    persistence: database.extension,
    instantiate: (Controller) => Reflect.construct(Controller, [services]) as object, // each receives the services
  });

  // Three equivalent ways to declare routes: with methods …
  app.group({ path: languagePath }, (pages) => addSiteRoutes(pages, services));
  addFailures(app, services);
  // … as data …
  for (const route of apiRoutes(services)) app.route(route);
  // … and with decorators.
  return app.register(ArticleController, EditController, AdminController);
}
