import type { Profiler } from '../../model/profiler.js';

/** What the pages ask of the profiler: it reads, and deletes where that is given. */
export type ProfileReader = Pick<
  Profiler,
  'find' | 'list' | 'totals' | 'news' | 'onNews' | 'collected' | 'counters' | 'state'
> &
  Partial<Pick<Profiler, 'purge' | 'marks' | 'processes'>>;
