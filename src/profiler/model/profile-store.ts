import type { ProfileList, ProfileQuery } from './profile-query.js';
import type { RecordBucket } from './profile-record.js';
import type { PruneReason } from './record-lookup.js';

/**
 * Records on their way to a store: some hundred at most, written down together so that what they share stands once.
 * A store keeps the two byte strings as they are.
 */
export interface Segment {
  readonly bucket: RecordBucket;
  /** Key of each record, in the order in which they were closed. */
  readonly keys: readonly number[];
  /** Beginning of the oldest request in it; milliseconds since the epoch. */
  readonly startedAt: number;
  /** Words that tell whether any record in it can match a query (`mayMatch`). */
  readonly facts: string;
  /** Rows of the list. */
  readonly directory: Uint8Array;
  /** The records themselves. */
  readonly body: Uint8Array;
}

/** Where one record is. */
export interface StoredPlace {
  readonly segment: Segment;
  readonly index: number;
}

/** Numbers that a process may name records with; see `createTokenCodec`. */
export interface Lease {
  /** Key of the permutation that makes tokens of numbers; the same for all processes of a store. */
  readonly secret: string;
  /** First number, and the first that is not in the lease. */
  readonly from: number;
  readonly to: number;
}

/** What a store holds of this process's records, and in all. */
export interface StoreTally {
  /** Of this process, ever written. */
  readonly written: number;
  /** Of this process, removed again, by whomever. */
  readonly pruned: Readonly<Record<PruneReason, number>>;
  /** Keys that were taken, with the fresh ones their records were given. */
  readonly renamed: number;
  /** Of all processes, there now. */
  readonly records: number;
  readonly bytes: number;
}

/** Bounds of what is kept of the application's records; the profiler's own have a ring of 100. */
export interface Retention {
  readonly records: number;
  readonly ageMs: number;
  readonly bytes: number;
}

/**
 * Port: where records are kept. A promise that is rejected says that the store is out of order: the caller keeps what it
 * could not give away and tries again, so `write` must keep all of its segments or none.
 */
export interface ProfileStore {
  /** Numbers never given before, at least `amount`, even after the store was opened anew. */
  lease(amount: number): Promise<Lease>;
  /** Keeps the segments and prunes by the retention. A taken key is never overwritten. */
  write(segments: readonly Segment[]): Promise<StoreTally>;
  /** Where a record is, or what is known of its key: pruned, leased but not there, or never leased. */
  find(key: number): Promise<StoredPlace | PruneReason | 'pruned' | 'missing' | 'never'>;
  list(query: ProfileQuery): Promise<ProfileList>;
  /** Applies the retention now; with a bucket, removes all of it. */
  prune(bucket?: RecordBucket): Promise<StoreTally>;
  close(): Promise<void>;
}
