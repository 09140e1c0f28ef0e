import type { SourceLoader } from '#errors';
import type { HttpRequest } from '#http';
import type { QueryExplainer } from '../model/profiler.js';
import type { Panel } from '../panels/panel.js';
import type { RetentionBounds } from '../panels/blocks/state-blocks.js';
import type { AccessGuard } from './access/access.js';
import type { ProfileReader } from './site/profiler-site.js';

/** The options of the profiler's pages. */
export interface ProfilerPagesOptions {
  readonly reader: ProfileReader;
  /** Who may open them; by default only this machine's own browser. */
  readonly access?: AccessGuard;
  /** Panels beside or in place of the built-in ones: one with the `id` of another takes its place. */
  readonly panels?: readonly Panel[];
  /** `LOOKBACK_IDE`: an editor's name or an address template, with path maps (see `createEditorLinker`). */
  readonly editor?: string;
  /** Where sources are looked up; a loader of their own by default. */
  readonly sources?: SourceLoader;
  /** Sends a record's request to the application again, from the address of the client; without it nothing is sent. */
  readonly replay?: ((request: Request, asker: HttpRequest) => Promise<Response>) | undefined;
  /** Gives the plans of recorded queries; without it none is offered. */
  readonly explainer?: QueryExplainer;
  /** Bounds of what is kept, to be shown beside the counters. */
  readonly retention?: RetentionBounds;
  /** `/_profiler`. */
  readonly prefix?: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}
