import type { Retention } from './retention.js';
import type { ProfileQuery, ProfileTotals, TotalsQuery } from '../../model/profile-query.js';
import type { AbsentRecord, FoundRecord, RecordMark } from '../../model/record-lookup.js';
import type { ProfileRecord, RecordOrigin, StoredFinding } from '../../model/profile-record.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import type { StoredRoutes } from '../../model/declared-routes.js';
import type { Amendments } from '../../encoding/amendments.js';
import type { FinishedRecord } from '../../encoding/to-record.js';

export type { FinishedRecord } from '../../encoding/to-record.js';

/** Port for record storage. If a method rejects, the caller keeps the records it could not append and tries again. */
export interface RecordStore {
  /**
   * Stores all records or none, reserves ids, and applies the retention. Refuses records whose token belongs to another
   * record. Records already in this store count as stored, so that an `append` whose answer was lost can be repeated.
   */
  append(write: StoreWrite): Promise<StoreAnswer>;
  /** Looks up one record without waiting for pending writes. */
  find(id: number): Promise<FoundRecord | AbsentRecord>;
  list(search: StoreSearch): Promise<StorePage>;
  totals(query: TotalsQuery): Promise<ProfileTotals>;
  /**
   * Changes one record, or removes all of an origin's records. Returns the number of changed records. Rejects with
   * `PROFILER_MARKS_FULL` if too many records are pinned.
   */
  update(target: StoreTarget, change: StoreChange): Promise<number>;
  /** Stores the application's routes, replacing the previous ones. A store without this method keeps none. */
  putRoutes?(table: StoredRoutes): Promise<void>;
  /** Returns the routes stored last; undefined if there are none. */
  routes?(): Promise<StoredRoutes | undefined>;
  /** Releases the store. */
  close(): Promise<void>;
}

/** Input of one `append` call. */
export interface StoreWrite {
  readonly records: readonly FinishedRecord[];
  /** Number of ids to reserve for this process. */
  readonly reserve?: number;
  /** Each origin's records still waiting in this process; the retention counts them as stored. */
  readonly waiting?: Readonly<Record<RecordOrigin, number>>;
}

/** The `append` result. */
export interface StoreAnswer {
  /** The reserved ids: `from` inclusive, `to` exclusive. */
  readonly reserved?: { readonly from: number; readonly to: number };
  readonly tally: StoreTally;
  /** Number of records not stored because their token belongs to another record. */
  readonly refused: number;
}

/** A store's counts. */
export interface StoreTally {
  /** Records currently stored by all processes, and the bytes they occupy. */
  readonly records: number;
  readonly bytes: number;
  /** A human-readable sentence about changes to the store since the last call: an older or damaged file was renamed. */
  readonly notice?: string;
}

/** Selects list rows. */
export interface StoreSearch {
  readonly query: Pick<ProfileQuery, 'origin' | 'where' | 'sort'>;
  /** The previous page's `next`: only rows after it. */
  readonly before?: string;
  /** An earlier page's `position`: only rows written after it, in write order. Not combined with a sort or `before`. */
  readonly after?: string;
  readonly limit: number;
  /** Only the record with this id, from any origin unless the query names one. */
  readonly id?: number;
}

/** One list page. */
export interface StorePage {
  readonly rows: readonly ProfileSummary[];
  /** The next page's cursor; null at the end. */
  readonly next: string | null;
  /** Position after everything that this page could show, for `after`; at most 64 letters, digits, `-` and `.`. */
  readonly position: string;
  /** True if `after` is not a position in this store, so rows may be missing. */
  readonly isGap?: boolean;
}

/** An update's target. */
export type StoreTarget = { readonly id: number } | { readonly origin: RecordOrigin };

/**
 * An update: set a record's mark (null removes it); add amendments logged or thrown after the record was closed, with
 * the function that finds its findings again; or remove it. Marked records are removed only by `remove`, never by the
 * retention.
 */
export type StoreChange =
  | { readonly mark: RecordMark | null }
  | { readonly late: Amendments; readonly findFindings?: (record: ProfileRecord) => readonly StoredFinding[] }
  | { readonly remove: true };

export interface StoreOptions {
  readonly retention?: Partial<Retention>;
  /** If true, nothing is changed: no table, no file. */
  readonly isReadOnly?: boolean | undefined;
  /** A module with the `node:sqlite` API. Default: Node's own, or else `@photostructure/sqlite`. */
  readonly driver?: string | undefined;
}
