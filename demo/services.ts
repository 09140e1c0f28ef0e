import type { Security } from 'lookback/security';
import type { Database } from './database/database.js';
import type { Site } from './site.js';

/** Services used by the journal's controllers. */
export interface Services {
  readonly database: Database;
  readonly security: Security;
  readonly site: Site;
  /** Whether pages can link to a profiler. */
  readonly isDebug: boolean;
}
