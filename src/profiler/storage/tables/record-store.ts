import type { Retention } from './retention.js';
import type { ProfileQuery, ProfileTotals, TotalsQuery } from '../../model/profile-query.js';
import type { AbsentRecord, FoundRecord, RecordMark } from '../../model/record-lookup.js';
import type { ProfileRecord, RecordOrigin, StoredFinding } from '../../model/profile-record.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import type { Amendments } from '../../encoding/amendments.js';
import type { FinishedRecord } from '../../encoding/to-record.js';

export type { FinishedRecord } from '../../encoding/to-record.js';

/** Port: where records are kept. Where it rejects, the caller keeps what it could not append and tries again. */
export interface RecordStore {
  /**
   * Stores all of the records or none, reserves ids, and applies the retention. A
   * record whose token belongs to another record is refused; one that this store already has counts as stored, so that an
   * `append` whose answer was lost can be repeated.
   */
  append(write: StoreWrite): Promise<StoreAnswer>;
  /** Looks up one record, without waiting for anything. */
  find(id: number): Promise<FoundRecord | AbsentRecord>;
  list(search: StoreSearch): Promise<StorePage>;
  totals(query: TotalsQuery): Promise<ProfileTotals>;
  /**
   * Changes one record, or removes all records of an origin, and returns how many records were changed. Rejects with
   * `PROFILER_MARKS_FULL` if a mark would be one too many.
   */
  update(target: StoreTarget, change: StoreChange): Promise<number>;
  /** Releases the store. */
  close(): Promise<void>;
}

/** What one call of `append` brings. */
export interface StoreWrite {
  readonly records: readonly FinishedRecord[];
  /** Number of ids to reserve for this process. */
  readonly reserve?: number;
  /** Records of each origin that still wait in this process: the retention counts them as if they were stored. */
  readonly waiting?: Readonly<Record<RecordOrigin, number>>;
}

/** The result of `append`. */
export interface StoreAnswer {
  /** The reserved ids: `from` inclusive, `to` exclusive. */
  readonly reserved?: { readonly from: number; readonly to: number };
  readonly tally: StoreTally;
  /** Number of records that were not stored because their token belongs to another record. */
  readonly refused: number;
}

/** Counts of a store. */
export interface StoreTally {
  /** Records of all processes that are stored now, and the bytes that they take. */
  readonly records: number;
  readonly bytes: number;
  /** What happened to the store since the last call, as one sentence for people: an older or damaged file was renamed. */
  readonly notice?: string;
}

/** Selects rows of the list. */
export interface StoreSearch {
  readonly query: Pick<ProfileQuery, 'origin' | 'where' | 'sort'>;
  /** `next` of the previous page: only rows after it. */
  readonly before?: string;
  /** `position` of an earlier page: only rows written after it, in that order; not with a sort or `before`. */
  readonly after?: string;
  readonly limit: number;
  /** Only the record with this id, in any origin unless the query names one. */
  readonly id?: number;
}

/** One page of the list. */
export interface StorePage {
  readonly rows: readonly ProfileSummary[];
  /** Cursor of the next page; null at the end. */
  readonly next: string | null;
  /** Position after all that this page could show, for `after`; at most 64 letters, digits, `-` and `.`. */
  readonly position: string;
  /** True if `after` is not a position of this store, so that rows may be missing. */
  readonly isGap?: boolean;
}

/** What an update applies to. */
export type StoreTarget = { readonly id: number } | { readonly origin: RecordOrigin };

/**
 * A change of what is stored: the mark of a record (null removes it), what its request logged or threw after the record
 * was closed and how its findings are found then, or its removal. Marked records are removed by `remove` alone, never by the retention.
 */
export type StoreChange =
  | { readonly mark: RecordMark | null }
  | { readonly late: Amendments; readonly findFindings?: (record: ProfileRecord) => readonly StoredFinding[] }
  | { readonly remove: true };

export interface StoreOptions {
  readonly retention?: Partial<Retention>;
  /** If true, nothing at all is changed: no table, no file. */
  readonly isReadOnly?: boolean | undefined;
  /** Module with the API of `node:sqlite`; default: Node's own, otherwise `@photostructure/sqlite`. */
  readonly driver?: string | undefined;
}
