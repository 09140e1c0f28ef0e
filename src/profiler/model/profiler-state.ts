import type { PruneReason } from './record-lookup.js';

/** Why a record was not kept. */
export type DropReason = 'queue-full' | 'unrecordable' | 'store-set-aside' | 'not-written-at-close';

/**
 * What happened to the records of this process: made = stored + every pruned + every dropped + pending, at any moment.
 */
export interface ProfilerCounters {
  readonly made: number;
  readonly stored: number;
  readonly pruned: Readonly<Record<PruneReason, number>>;
  readonly dropped: Readonly<Record<DropReason, number>>;
  /** Closed and kept in memory, not written yet. */
  readonly pending: number;
  /** Requests being watched at the moment; not among `made`. */
  readonly open: number;
  /** Requests that sampling left out; not among `made`. */
  readonly sampledOut: number;
  /** Records whose token was taken, stored under a fresh one. */
  readonly renamed: number;
  /** Milliseconds that writing down records took. */
  readonly recordingMs: number;
  /** Calls of the recorder that failed; the requests were not affected. */
  readonly failures: number;
}

/** How the store is. */
export interface StoreState {
  /** `failing`: records are kept in memory (bounded) and the store is tried again. */
  readonly status: 'ready' | 'failing' | 'closed';
  /** What is used: `sqlite:/app/var/profiler.db`, `memory:`. */
  readonly store: string;
  /** One sentence for people; empty while ready and nothing happened. */
  readonly message: string;
  /** Code of the problem: `PROFILER_STORE_FULL`, … */
  readonly code: string | null;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** A file that could not be read and was set aside under this name. */
  readonly setAside: string | null;
  /** Records and bytes in the store, of all processes; null where unknown. */
  readonly records: number | null;
  readonly bytes: number | null;
}
