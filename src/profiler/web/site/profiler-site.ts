import type { EditorLinker, SourceLoader } from '#errors';
import type { HttpRequest } from '#http';
import type { Panel } from '../../panels/panel.js';
import type { RetentionBounds } from '../../panels/blocks/state-blocks.js';
import type { Profiler, QueryExplainer } from '../../model/profiler.js';
import type { ProfilerLinks } from './links.js';
import type { MissLimiter } from '../access/miss-limiter.js';

/** What every page of the profiler shares. Holds nothing of a request but the counts of misses. */
export interface ProfilerSite {
  readonly reader: ProfileReader;
  readonly links: ProfilerLinks;
  readonly panels: readonly Panel[];
  readonly misses: MissLimiter;
  readonly editor: EditorLinker;
  /** Finds the written source of a compiled place. */
  readonly sources: SourceLoader;
  readonly retention: RetentionBounds | undefined;
  readonly replay: ((request: Request, asker: HttpRequest) => Promise<Response>) | undefined;
  readonly explainer: QueryExplainer | undefined;
  readonly now: () => number;
}

/** What the pages need of the profiler: reading, and deleting if that is given. */
export type ProfileReader = Pick<
  Profiler,
  'find' | 'list' | 'totals' | 'news' | 'onNews' | 'collected' | 'counters' | 'state'
> &
  Partial<Pick<Profiler, 'purge' | 'marks' | 'processes'>>;
