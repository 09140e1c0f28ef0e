import type { Redactor } from '#dump';
import type { FlattenOptions, SourceLoader } from '#errors';
import type { HttpRequest, TrustPolicy } from '#http';
import type { ServerLimits } from '#http/node';
import type { CompiledRoutes, MatchTrace, RouteCollection } from '#routing';
import type { Configuration } from '../configuration/configuration.js';

/** What every part of an application stands on. */
export interface AppFoundation {
  readonly configuration: Configuration;
  readonly redactor: Redactor;
  /** How thrown values are read; the sources are shared by the error page and the record. */
  readonly flatten: FlattenOptions & { readonly sources: SourceLoader };
  readonly routes: RouteCollection;
  readonly table: () => CompiledRoutes;
  /**
   * The routes that there are for a client. For one that debug output is not shown to, those of the profiler are not
   * among them: it is asked before anything is matched, so that a refusal takes as long as any unknown path.
   */
  readonly tableFor: (request: HttpRequest) => CompiledRoutes;
  readonly trust: TrustPolicy;
  readonly limits: ServerLimits;
  /** Whether this client may see debug output. */
  readonly isShown: (request: HttpRequest) => boolean;
  /** Why the request went where it went. */
  readonly explain: (request: HttpRequest) => MatchTrace;
}
