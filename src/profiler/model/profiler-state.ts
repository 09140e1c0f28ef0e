/**
 * Why a record was not kept. `queue-full`: too many waited, for a store that failed, or because requests came faster than
 * they are written while no one reads. `unrecordable`: writing it down failed. `refused`: its token belongs to another
 * record. `writer-ended`: it waited in a thread that ended. `not-written-at-close`: the store failed until the profiler
 * was closed.
 */
export type DropReason = 'queue-full' | 'unrecordable' | 'refused' | 'writer-ended' | 'not-written-at-close';

/** Counts of the records of this process. At any moment, made = stored + pruned + dropped (all reasons) + pending. */
export interface ProfilerCounters {
  readonly made: number;
  /** Records that were written to the store. Its limits may have removed them since. */
  readonly stored: number;
  /** Records that the limits removed before they were written. */
  readonly pruned: number;
  readonly dropped: Readonly<Record<DropReason, number>>;
  /** Records that are closed and in memory, but not written yet. */
  readonly pending: number;
  /** Requests that are being recorded; not included in `made`. */
  readonly open: number;
  /** Requests that sampling excluded; not included in `made`. */
  readonly sampledOut: number;
  /** Milliseconds spent writing records down. */
  readonly recordingMs: number;
  /** Internal failures of the recorder; the requests were not affected. */
  readonly failures: number;
}

/** State of the store. */
export interface StoreState {
  /** `failing`: records are kept in memory (bounded) while the store is retried. */
  readonly status: 'ready' | 'failing' | 'closed';
  /** Address of the store: `sqlite:/app/var/profiler.db`, `memory:`. */
  readonly store: string;
  /** One sentence for people; empty while the store is ready and nothing has happened. */
  readonly message: string;
  /** Code of the problem: `PROFILER_STORE_FULL`, … */
  readonly code: string | null;
  /** When this status began; milliseconds since the epoch. */
  readonly since: number;
  /** Records and bytes in the store, of all processes; null if unknown. */
  readonly records: number | null;
  readonly bytes: number | null;
}
