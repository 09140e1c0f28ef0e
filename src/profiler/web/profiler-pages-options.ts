import type { SourceLoader } from '#errors';
import type { HttpRequest } from '#http';
import type { QueryExplainer } from '../model/profiler.js';
import type { Panel } from '../panels/panel.js';
import type { RetentionBounds } from '../panels/blocks/state-blocks.js';
import type { AccessGuard } from './access/access.js';
import type { ProfileReader } from './site/profiler-site.js';

/** Options of the profiler's pages. */
export interface ProfilerPagesOptions {
  readonly reader: ProfileReader;
  /** Decides who may open the pages. Default: only browsers on this machine. */
  readonly access?: AccessGuard;
  /** Additional panels; a panel with the `id` of a built-in one replaces it. */
  readonly panels?: readonly Panel[];
  /** `LOOKBACK_IDE`: the name of an editor or a URL template, with path maps (see `createEditorLinker`). */
  readonly editor?: string;
  /** Loads source code. Default: a new loader. */
  readonly sources?: SourceLoader;
  /** Sends a recorded request to the application again, with the client's address; without it, replay is unavailable. */
  readonly replay?: ((request: Request, client: HttpRequest) => Promise<Response>) | undefined;
  /** Explains recorded queries; without it, plans are unavailable. */
  readonly explainer?: QueryExplainer;
  /** Bounds of the stored records, shown next to the counters. */
  readonly retention?: RetentionBounds;
  /** Path prefix of the pages. Default: `/_profiler`. */
  readonly prefix?: string;
  /** Current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}
