import type { Redactor } from '#dump';
import type { FlattenOptions, SourceLoader } from '#errors';
import type { HttpRequest, TrustPolicy } from '#http';
import type { ServerLimits } from '#http/node';
import type { CompiledRoutes, MatchTrace, RouteCollection } from '#routing';
import type { Configuration } from '../configuration/configuration.js';

/** Services and settings that all parts of an application share. */
export interface AppFoundation {
  readonly configuration: Configuration;
  readonly redactor: Redactor;
  /** Options for reading thrown values; the error page and the record share the loaded sources. */
  readonly flatten: FlattenOptions & { readonly sources: SourceLoader };
  readonly routes: RouteCollection;
  readonly table: () => CompiledRoutes;
  /**
   * Returns the routes for a client. They do not include the profiler's routes unless the client may see debug output. This is
   * decided before matching, so that a refusal takes as long as an unknown path.
   */
  readonly tableFor: (request: HttpRequest) => CompiledRoutes;
  readonly trust: TrustPolicy;
  readonly limits: ServerLimits;
  /** Returns whether the client of a request may see debug output. */
  readonly isShown: (request: HttpRequest) => boolean;
  /** Explains the routing of a request. */
  readonly explain: (request: HttpRequest) => MatchTrace;
}
