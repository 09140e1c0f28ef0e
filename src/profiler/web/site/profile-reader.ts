import type { Profiler } from '../../model/profiler.js';

/** What the pages ask of the profiler: it reads, and changes nothing. */
export type ProfileReader = Pick<Profiler, 'find' | 'list' | 'counters' | 'state'>;
