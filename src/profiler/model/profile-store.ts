import type { ProfileList, ProfileNews, ProfileQuery } from './profile-query.js';
import type { StoreTotals, TotalsQuery } from './profile-totals.js';
import type { ProfileRecord, RecordBucket } from './profile-record.js';
import type { ProfileSummary } from './profile-summary.js';
import type { PruneReason } from './record-lookup.js';
import type { SegmentFacts } from './segment-facts.js';

/**
 * Records of one bucket, about a thousand at most, that are written together. A store may keep the two byte strings
 * as they are, or decode them with `readRecord` and `SummaryReader` (`profiler/form`).
 */
export interface Segment {
  /** Number of the segment within the process. If `write` is retried after a failure, the number stays the same. */
  readonly number: number;
  readonly bucket: RecordBucket;
  /** Key of each record, in the order in which they were closed. */
  readonly keys: readonly number[];
  /** Start of the earliest request, and end of the last; milliseconds since the epoch. */
  readonly startedAt: number;
  readonly closedAt: number;
  /** Facts that show whether any record of the segment can match a query. */
  readonly facts: SegmentFacts;
  /** The summaries, stored by column. */
  readonly directory: Uint8Array;
  /** The records themselves. */
  readonly body: Uint8Array;
}

/** A record as a store returns it. The token is derived from the key. */
export type StoredRecord = Omit<ProfileRecord, 'token'>;

/** A summary as a store returns it. */
export interface StoredSummary extends Omit<ProfileSummary, 'token' | 'mark'> {
  readonly key: number;
}

/**
 * Why a key has no record. `pruned`: removed by a limit that is no longer known. `missing`: the key was given out, but
 * no record arrived. `unwritten`: a process that still runs has leased the key and has not written the record yet.
 * `set-aside`: the record may have been in a damaged file that was set aside. `never`: the key was never given out.
 */
export type AbsentRecord = PruneReason | 'pruned' | 'missing' | 'unwritten' | 'set-aside' | 'never';

/** Selects the summaries to return, newest first or in the order of `query.sort`. */
export interface StoreSearch {
  /** Without token and cursor, which a store receives as `key`, `before` and `behind`. */
  readonly query: Pick<ProfileQuery, 'bucket' | 'where' | 'sort'>;
  /** Keys of records whose request failed after the record was closed; they are treated as having an exception. */
  readonly thrownLate?: ReadonlySet<number> | undefined;
  /** Only the record of this key. */
  readonly key?: number | undefined;
  /** Only records closed before the record of this key; nothing if that record does not exist. Not used with a sort. */
  readonly before?: number | undefined;
  /** With a sort: only rows that sort after this value or, if equal, after this key. The row itself may have been removed. */
  readonly behind?: { readonly value: number; readonly key: number } | undefined;
  readonly limit: number;
}

/** One page of a search. */
export interface StorePage extends Omit<ProfileList, 'rows' | 'next'> {
  readonly rows: readonly StoredSummary[];
  /** Key to pass as `before` for the next page; null at the end. */
  readonly next: number | null;
}

/** Selects the totals to count; see `StoreSearch`. */
export interface StoreTotalsOrder extends Pick<StoreSearch, 'thrownLate'> {
  readonly query: TotalsQuery;
}

/** Selects the new summaries to return. */
export interface StoreNewsOrder {
  readonly query: Pick<ProfileQuery, 'bucket' | 'where'>;
  /** `position` of the previous news; null requests only the current position. */
  readonly position: string | null;
}

/** The summaries that were written after a position. */
export interface StoreNews extends Omit<ProfileNews, 'rows'> {
  /** In the order in which they were written. Rows beyond a few thousand are returned for the next position. */
  readonly rows: readonly StoredSummary[];
  /** Position after these rows, in a format of the store: at most 64 letters, digits, `-`, `.` and `:`. */
  readonly position: string;
}

/** Range of numbers from which a process may assign keys to records. */
export interface Lease {
  /** Key of the permutation that turns numbers into tokens; the same for all processes of a store. */
  readonly secret: string;
  /** First number of the lease (inclusive), and its end (exclusive). */
  readonly from: number;
  readonly to: number;
}

/** Counts of a store. `pruned`, `lost` and `renamed` cover this process only. */
export interface StoreTally {
  readonly pruned: Readonly<Record<PruneReason, number>>;
  /** Records in unreadable files that were set aside. */
  readonly lost: number;
  /** Path of the last file that was set aside; null if there is none. */
  readonly setAside: string | null;
  /** Records whose key was already taken and that were stored under a fresh one. */
  readonly renamed: number;
  /** Number of records of all processes that are stored now. */
  readonly records: number;
  readonly bytes: number;
}

/** Counts that a process reports about its own records when it writes: made = stored + pruned + dropped + pending. */
export interface ProcessCounts {
  readonly made: number;
  readonly dropped: number;
  /** Closed records that will still be in the memory of the process when this write is done. */
  readonly pending: number;
}

/** What a store that is shared by several processes knows about one of them. `stored` and `pruned` are counted by the store. */
export interface ProcessAccount extends ProcessCounts {
  readonly host: string;
  readonly pid: number;
  /** Version of the application. */
  readonly version: string;
  /** Start of the process by its own clock; milliseconds since the epoch. */
  readonly startedAt: number;
  /** Last write of the process by the clock of the store; milliseconds since the epoch. */
  readonly seenAt: number;
  /** `lost`: the process ended unexpectedly; the records that were pending then are lost. */
  readonly state: 'running' | 'ended' | 'lost';
  readonly stored: number;
  readonly pruned: number;
}

/** Limits on stored records. Of the profiler's own requests, only the newest `profilerRecords` are kept. */
export interface Retention {
  readonly records: number;
  readonly ageMs: number;
  readonly bytes: number;
  readonly profilerRecords: number;
}

/**
 * Port: storage of records. An exception or a rejection means that the store has failed; the caller keeps the records
 * that it could not write and retries. `find` rejects with `PROFILER_RECORD_NEWER` or `PROFILER_RECORD_DAMAGED` if the
 * record cannot be read; these two do not mean that the store has failed.
 */
export interface ProfileStore {
  /** Reserves at least `amount` numbers that were never given out before. */
  lease(amount: number): Lease | Promise<Lease>;
  /**
   * Optional: returns the key of the permutation (see `Lease`) to a reader that needs no lease. Changes nothing. Throws
   * `PROFILER_STORE_ABSENT` if the store does not exist.
   */
  secret?(): Promise<string>;
  /** Stores all of the segments or none, and applies the retention. A key that is already taken is never overwritten. */
  write(segments: readonly Segment[], counts?: ProcessCounts): Promise<StoreTally>;
  find(key: number): Promise<StoredRecord | AbsentRecord>;
  search(search: StoreSearch): Promise<StorePage>;
  /** Optional: counts records. Without it, the profiler reads the summaries through `search` and counts them. */
  totals?(order: StoreTotalsOrder): Promise<StoreTotals>;
  /** Optional: returns what any process wrote after a position, each record once, so that pages can follow new records. */
  news?(order: StoreNewsOrder): Promise<StoreNews>;
  /**
   * Optional: calls `wake` when any process may have written, and returns the function that unsubscribes. Without it,
   * the profiler polls for news once a second while lists are followed. Must not keep the process alive.
   */
  onNews?(wake: () => void): () => void;
  /** Applies the retention now. With a bucket, removes all records of that bucket. */
  prune(bucket?: RecordBucket): Promise<StoreTally>;
  tally(): Promise<StoreTally>;
  /** Optional, for stores that processes share: returns the account of each process, latest started first. */
  processes?(): Promise<readonly ProcessAccount[]>;
  /** Milliseconds after which a process must write again (if only its counts); otherwise it is considered lost. */
  readonly heartbeatMs?: number;
  /**
   * Optional: stores a text next to the records, under a kind (`mark`, `copy`, `filter`) and a name; null removes it.
   * The retention does not apply to notes; the caller must bound them.
   */
  putNote?(kind: string, name: string, text: string | null): Promise<void>;
  /** Returns the notes of a kind by name, in no particular order; with a name, only that note. */
  notes?(kind: string, name?: string): Promise<ReadonlyMap<string, string>>;
  close(): Promise<void>;
  /** Optional: stores the segments synchronously while the process exits and nothing can be awaited. May throw. */
  writeNow?(segments: readonly Segment[], counts?: ProcessCounts): void;
}
