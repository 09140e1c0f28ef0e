import type { EditorLinker, SourceLoader } from '#errors';
import type { HttpRequest } from '#http';
import type { Panel } from '../../panels/panel.js';
import type { RetentionBounds } from '../../panels/blocks/state-blocks.js';
import type { Profiler, QueryExplainer } from '../../model/profiler.js';
import type { ProfilerLinks } from './links.js';

/** Dependencies shared by all profiler pages. Contains no request state. */
export interface ProfilerSite {
  readonly reader: ProfileReader;
  readonly links: ProfilerLinks;
  readonly panels: readonly Panel[];
  readonly editor: EditorLinker;
  /** Loads sources and maps compiled positions to them. */
  readonly sources: SourceLoader;
  readonly retention?: RetentionBounds | undefined;
  readonly replay?: ((request: Request, client: HttpRequest) => Promise<Response>) | undefined;
  readonly explainer?: QueryExplainer | undefined;
  readonly now: () => number;
}

/** The methods of the profiler that the pages need. Who only reads has no others. */
export type ProfileReader = Pick<Profiler, 'find' | 'list' | 'totals' | 'news' | 'collected'> &
  Partial<Pick<Profiler, 'purge' | 'mark' | 'counters' | 'state'>>;
