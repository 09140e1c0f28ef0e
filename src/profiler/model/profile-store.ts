import type { RecordBucket } from './profile-record.js';
import type { PruneReason } from './record-lookup.js';

/**
 * Records of one bucket, about a thousand at most, written down together so that what they share stands once.
 * A store keeps the two byte strings as they are.
 */
export interface Segment {
  /** Number within the process; with `write` repeated after a failure, the same number is the same segment. */
  readonly number: number;
  readonly bucket: RecordBucket;
  /** Key of each record, in the order in which they were closed. */
  readonly keys: readonly number[];
  /** Beginning of the earliest request and end of the last; milliseconds since the epoch. */
  readonly startedAt: number;
  readonly closedAt: number;
  /** Words that tell whether any record in it can match a query. */
  readonly facts: string;
  /** Rows of the list. */
  readonly directory: Uint8Array;
  /** The records themselves. */
  readonly body: Uint8Array;
}

/** The rows of one segment that are still there: `from` ≤ index < `to`. */
export interface StoredRows {
  readonly keys: readonly number[];
  readonly directory: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/** One record in its segment. */
export interface StoredRecord {
  readonly keys: readonly number[];
  readonly directory: Uint8Array;
  readonly body: Uint8Array;
  readonly index: number;
}

/**
 * What is known of a key without a record. `pruned`: by a limit nobody remembers. `unwritten`: a process that still runs
 * has leased the key and has not written the record. `set-aside`: it may have been in a damaged file that was put aside.
 */
export type AbsentRecord = PruneReason | 'pruned' | 'missing' | 'unwritten' | 'set-aside' | 'never';

/** Which segments to go through, newest first. */
export interface ScanRange {
  readonly bucket: RecordBucket;
  /** Only what was closed before the record of this key; nothing where it is not there. */
  readonly before?: number;
  /** Bounds by time, milliseconds since the epoch: segments wholly outside may be left out. */
  readonly start?: number;
  readonly end?: number;
  /** Whether a segment with these facts may hold what is looked for. */
  readonly mayMatch: (facts: string) => boolean;
}

/** Numbers that a process may name records with. */
export interface Lease {
  /** Key of the permutation that makes tokens of numbers; the same for all processes of a store. */
  readonly secret: string;
  /** First number, and the first that is not in the lease. */
  readonly from: number;
  readonly to: number;
}

/** What a store holds. `pruned`, `lost` and `renamed` are of this process alone. */
export interface StoreTally {
  readonly pruned: Readonly<Record<PruneReason, number>>;
  /** Records in a file that could not be read and had to be put aside, and where the last such file is now. */
  readonly lost: number;
  readonly setAside: string | null;
  /** Keys that were taken; their records were given fresh ones. */
  readonly renamed: number;
  /** Of all processes, there now. */
  readonly records: number;
  readonly bytes: number;
}

/** Bounds of what is kept. The profiler's own requests have a ring of `profilerRecords`. */
export interface Retention {
  readonly records: number;
  readonly ageMs: number;
  readonly bytes: number;
  readonly profilerRecords: number;
}

/**
 * Port: where records are kept. What is thrown or rejected says that the store is out of order: the caller keeps what
 * it could not give away and tries again.
 */
export interface ProfileStore {
  /** Numbers never given before, at least `amount` of them. */
  lease(amount: number): Lease | Promise<Lease>;
  /** Keeps all of the segments or none, and prunes by the retention. A taken key is never overwritten. */
  write(segments: readonly Segment[]): Promise<StoreTally>;
  find(key: number): Promise<StoredRecord | AbsentRecord>;
  scan(range: ScanRange): AsyncIterable<StoredRows>;
  /** Applies the retention now; with a bucket, removes all of it. */
  prune(bucket?: RecordBucket): Promise<StoreTally>;
  close(): Promise<void>;
  /** Where it can be: keeps the segments while the process ends and nothing can be awaited. May throw. */
  writeNow?(segments: readonly Segment[]): void;
}
