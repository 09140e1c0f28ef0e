import type { ProfileList, ProfileNews, ProfileQuery } from './profile-query.js';
import type { StoreTotals, TotalsQuery } from './profile-totals.js';
import type { ProfileRecord, RecordBucket } from './profile-record.js';
import type { ProfileSummary } from './profile-summary.js';
import type { PruneReason } from './record-lookup.js';
import type { SegmentFacts } from './segment-facts.js';

/**
 * Records of one bucket, about a thousand at most, written together. A store may keep the two byte strings unchanged,
 * or read them: `readRecord` and `SummaryReader` of the form room.
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
  /** What shows whether any record in it can match a query. */
  readonly facts: SegmentFacts;
  /** The summaries, in columns. */
  readonly directory: Uint8Array;
  /** The records themselves. */
  readonly body: Uint8Array;
}

/** A record as a store returns it: its token follows from its key. */
export type StoredRecord = Omit<ProfileRecord, 'token'>;

/** A summary as a store returns it. */
export interface StoredSummary extends Omit<ProfileSummary, 'token' | 'mark'> {
  readonly key: number;
}

/**
 * What is known about a key without a record. `pruned`: by a limit that is no longer known. `unwritten`: a process
 * that still runs has leased the key and has not written the record. `set-aside`: it may have been in a damaged file
 * that was set aside.
 */
export type AbsentRecord = PruneReason | 'pruned' | 'missing' | 'unwritten' | 'set-aside' | 'never';

/** Which summaries to return: newest first, or in the order of `query.sort`. */
export interface StoreSearch {
  /** Tokens and the cursor are not among the conditions: they are keys here. */
  readonly query: Pick<ProfileQuery, 'bucket' | 'where' | 'sort'>;
  /** Records whose request failed after they were closed: they count as those in which something was thrown. */
  readonly thrownLate?: ReadonlySet<number> | undefined;
  /** Only the record of this key. */
  readonly key?: number | undefined;
  /** Only what was closed before the record of this key; nothing where it is not there. Without a sort. */
  readonly before?: number | undefined;
  /** With a sort: only what stands behind this value and, where it has the same, this key. It need not be there any more. */
  readonly behind?: { readonly value: number; readonly key: number } | undefined;
  readonly limit: number;
}

/** One page of a search. */
export interface StorePage extends Omit<ProfileList, 'rows' | 'next'> {
  readonly rows: readonly StoredSummary[];
  /** Key to go on from, as `before`; null at the end. */
  readonly next: number | null;
}

/** Which totals to count; see `StoreSearch`. */
export interface StoreTotalsOrder extends Pick<StoreSearch, 'thrownLate'> {
  readonly query: TotalsQuery;
}

/** Which new summaries to return. */
export interface StoreNewsOrder {
  readonly query: Pick<ProfileQuery, 'bucket' | 'where'>;
  /** `position` of the previous news; null requests the present one alone. */
  readonly position: string | null;
}

/** What was written behind a position. */
export interface StoreNews extends Omit<ProfileNews, 'rows'> {
  /** In the order in which they were written; what does not fit into some thousand rows comes with the next position. */
  readonly rows: readonly StoredSummary[];
  /** Where the store is with these; a text of the store's own of at most 64 letters, digits, `-`, `.` and `:`. */
  readonly position: string;
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
  /** Records in a file that could not be read and had to be set aside, and where the last such file is now. */
  readonly lost: number;
  readonly setAside: string | null;
  /** Keys that were taken; their records were given fresh ones. */
  readonly renamed: number;
  /** Of all processes, there now. */
  readonly records: number;
  readonly bytes: number;
}

/** What a process reports about its own records when it writes: made = stored + pruned + dropped + pending. */
export interface ProcessCounts {
  readonly made: number;
  readonly dropped: number;
  /** Closed and in the memory of the process, once the write that brings these counts is done. */
  readonly pending: number;
}

/** What a store that several processes share knows of one of them. `stored` and `pruned` are the store's own counts. */
export interface ProcessAccount extends ProcessCounts {
  readonly host: string;
  readonly pid: number;
  /** Of the application. */
  readonly version: string;
  /** Milliseconds since the epoch, by the clock of the process; and when it last wrote, by that of the store. */
  readonly startedAt: number;
  readonly seenAt: number;
  /** `lost`: it ended unexpectedly; what was pending then is lost. */
  readonly state: 'running' | 'ended' | 'lost';
  readonly stored: number;
  readonly pruned: number;
}

/** Limits on stored records. The profiler's own requests have a ring of `profilerRecords`. */
export interface Retention {
  readonly records: number;
  readonly ageMs: number;
  readonly bytes: number;
  readonly profilerRecords: number;
}

/**
 * Port: where records are stored. An exception or a rejection means that the store has failed: the caller keeps what
 * it could not write and tries again. A record that cannot be read is rejected with `PROFILER_RECORD_NEWER` or
 * `PROFILER_RECORD_DAMAGED`, which do not mean that the store has failed.
 */
export interface ProfileStore {
  /** Numbers never given before, at least `amount` of them. */
  lease(amount: number): Lease | Promise<Lease>;
  /** Optional: the key of the permutation that turns numbers into tokens, without a lease, for readers. Changes nothing; throws `PROFILER_STORE_ABSENT`. */
  secret?(): Promise<string>;
  /** Keeps all of the segments or none, and prunes by the retention. A taken key is never overwritten. */
  write(segments: readonly Segment[], counts?: ProcessCounts): Promise<StoreTally>;
  find(key: number): Promise<StoredRecord | AbsentRecord>;
  search(search: StoreSearch): Promise<StorePage>;
  /** Optional: counts. Without it the summaries are read through `search` and counted by the profiler. */
  totals?(order: StoreTotalsOrder): Promise<StoreTotals>;
  /** Optional: what any process wrote after a position, each record once, so that pages can follow. */
  news?(order: StoreNewsOrder): Promise<StoreNews>;
  /**
   * Optional: calls `wake` when any process may have written, and returns the function that ends that. Without it the
   * profiler polls for news once a second while lists are followed. Must not keep the process alive.
   */
  onNews?(wake: () => void): () => void;
  /** Applies the retention now; with a bucket, removes all of it. */
  prune(bucket?: RecordBucket): Promise<StoreTally>;
  tally(): Promise<StoreTally>;
  /** Where processes share it: what became of the records of each, latest started first. */
  processes?(): Promise<readonly ProcessAccount[]>;
  /** Milliseconds after which a process must write again, if nothing else then its counts, or be taken for lost. */
  readonly heartbeatMs?: number;
  /**
   * Optional: a text stored next to the records under a kind (`mark`, `copy`, `filter`) and a name, until it is
   * replaced or removed (null). No limit of the retention takes it; whoever puts it bounds it.
   */
  putNote?(kind: string, name: string, text: string | null): Promise<void>;
  /** The notes of a kind by their names, in no order; with a name, that one alone. */
  notes?(kind: string, name?: string): Promise<ReadonlyMap<string, string>>;
  close(): Promise<void>;
  /** Optional: stores the segments while the process ends and nothing can be awaited. May throw. */
  writeNow?(segments: readonly Segment[], counts?: ProcessCounts): void;
}
