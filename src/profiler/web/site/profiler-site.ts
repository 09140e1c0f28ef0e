import type { EditorLinker, SourceLoader } from '#core/errors';
import type { HttpRequest } from '#core/http';
import type { Panel } from '../../sections/panel.js';
import type { Section } from '../../sections/section.js';
import type { RetentionBounds } from '../../view/state-blocks.js';
import type { Profiler, QueryExplainer } from '../../model/profiler.js';
import type { AccessGuard } from '../access/access.js';
import type { ProfilerLinks } from './links.js';

/** The profiler methods that the pages need; optional ones are absent for read-only sources. */
export type ProfileReader = Pick<Profiler, 'find' | 'list' | 'totals' | 'news' | 'collected'> &
  Partial<Pick<Profiler, 'purge' | 'mark' | 'addBrowserReport' | 'counters' | 'state'>>;

export interface ProfilerPagesOptions {
  readonly reader: ProfileReader;
  /** Decides who may open the pages. Default: only browsers on this machine. */
  readonly access?: AccessGuard;
  /** The application's own sections. A panel with a built-in `id` replaces that panel. */
  readonly sections?: readonly Section[];
  /** `LOOKBACK_IDE`: an editor name or a URL template, with path maps (see `createEditorLinker`). */
  readonly editor?: string;
  /** Loads source code. Default: a new loader. */
  readonly sources?: SourceLoader;
  /**
   * Sends a recorded request to the application again, with the client's address; without it, replay is unavailable.
   */
  readonly replay?: ((request: Request, client: HttpRequest) => Promise<Response>) | undefined;
  /** Explains recorded queries; without it, plans are unavailable. */
  readonly explainer?: QueryExplainer;
  /** Limits on stored records, shown next to the counters. */
  readonly retention?: RetentionBounds;
  /** Path prefix of the pages. Default: `/_profiler`. */
  readonly prefix?: string;
  /** Current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/** Dependencies shared by all profiler pages. Contains no request state. */
export interface ProfilerSite
  extends
    Pick<ProfilerPagesOptions, 'reader' | 'retention' | 'replay' | 'explainer'>,
    Required<Pick<ProfilerPagesOptions, 'sources' | 'now'>> {
  readonly links: ProfilerLinks;
  readonly panels: readonly Panel[];
  readonly editor: EditorLinker;
}
