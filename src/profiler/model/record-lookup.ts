import type { ProfileRecord } from './profile-record.js';

/** The limit of the retention by which a record was removed; `purge`: a person removed it. */
export type PruneReason = 'count' | 'age' | 'bytes' | 'purge';

/**
 * Why a token has no record. `pruned`: a limit removed it, or a person (`purge`); `by` is null if the reason is not known.
 * `missing`: the token was given out, but its record has not arrived: it is not written yet, was dropped, or was lost with its
 * process. `never`: the token was not given out.
 */
export type AbsentRecord =
  | { readonly kind: 'pruned'; readonly by: PruneReason | null }
  | { readonly kind: 'missing' | 'never' };

/** A record with what came after it was closed, and its mark. */
export interface FoundRecord {
  readonly kind: 'found';
  readonly record: ProfileRecord;
  readonly mark?: RecordMark;
}

/** The result of looking up a record. */
export type RecordLookup =
  | FoundRecord
  /** The text is not a valid token. */
  | { readonly kind: 'malformed' }
  | AbsentRecord
  /** The record exists but cannot be read: it is damaged or was written by a newer version, as `message` explains. */
  | { readonly kind: 'unreadable'; readonly code: string; readonly message: string };

/** What people put on a record that they pin. The retention does not remove a marked record. */
export interface RecordMark {
  /** Empty if there is none. */
  readonly note: string;
}
