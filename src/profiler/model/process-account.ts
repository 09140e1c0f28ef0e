/** Counts that a process reports about its own records when it writes: made = stored + pruned + dropped + waiting. */
export interface ProcessCounts {
  readonly made: number;
  readonly dropped: number;
  /** Closed records that are still in the memory of the process when this write is done. */
  readonly waiting: number;
  /** Records that the retention removed while they waited, so that they were never written. */
  readonly prunedUnwritten?: number;
}

/** The process that opens a store. */
export interface StoreProcess {
  readonly host: string;
  readonly pid: number;
  /** Version of the application. */
  readonly version: string;
}

/** What a store knows about one of the processes that use it. `stored` and `pruned` are counted by the store. */
export interface ProcessAccount extends StoreProcess, Omit<ProcessCounts, 'prunedUnwritten'> {
  /** When the process opened the store, and when it wrote last; milliseconds since the epoch. */
  readonly startedAt: number;
  readonly seenAt: number;
  /** `lost`: the process ended unexpectedly; the records that waited then are lost. */
  readonly state: 'running' | 'ended' | 'lost';
  /** Records of the process that are stored now, and that were removed. */
  readonly stored: number;
  readonly pruned: number;
}
