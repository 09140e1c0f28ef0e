import type { Security } from 'lookback/security';
import type { Database } from './database/database.js';
import type { Site } from './site.js';

/** What the controllers of the journal work with. */
export interface Services {
  readonly database: Database;
  readonly security: Security;
  readonly site: Site;
  /** Whether there is a profiler to point at. */
  readonly isDebug: boolean;
}
