import type { ProfileRecord } from './profile-record.js';

/** The limit of the retention by which a record was removed; `purge`: a person removed it. */
export type PruneReason = 'count' | 'age' | 'bytes' | 'purge';

/** The result of looking up a record. */
export type RecordLookup =
  | { readonly kind: 'found'; readonly record: ProfileRecord; readonly mark?: RecordMark }
  /** The text is not a valid token. */
  | { readonly kind: 'malformed' }
  /** The record was removed; `by` is null if the reason is no longer known. */
  | { readonly kind: 'pruned'; readonly by: PruneReason | null }
  /**
   * The token was given out, but its record does not exist: it was dropped by this process (`isDropped`), or lost when a
   * process ended.
   */
  | { readonly kind: 'missing'; readonly isDropped?: boolean }
  /** The token was given out by another process that still runs and has not written the record yet. */
  | { readonly kind: 'unwritten' }
  /** The record exists but cannot be read: it is damaged or was written by a newer version, as `message` explains. */
  | { readonly kind: 'unreadable'; readonly code: string; readonly message: string }
  /** The token was never given out. */
  | { readonly kind: 'never' };

/** What people put on a record that they pin. The retention does not remove a marked record. */
export interface RecordMark {
  /** Empty if there is none. */
  readonly note: string;
}
