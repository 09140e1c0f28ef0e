import type { ProfileRecord } from './profile-record.js';

/** The retention limit that removed a record; `purge` means a person removed it. */
export type PruneReason = 'count' | 'age' | 'bytes' | 'purge';

/**
 * Why a token has no record. `pruned`: removed by a limit or a person (`purge`); `by` is null if the reason is unknown.
 * `missing`: the token was issued, but its record has not arrived: it is not written yet, was dropped, or was lost with
 * its process. `never`: the token was not issued.
 */
export type AbsentRecord =
  | { readonly kind: 'pruned'; readonly by: PruneReason | null }
  | { readonly kind: 'missing' | 'never' };

/** A record including its amendments, and its mark. */
export interface FoundRecord {
  readonly kind: 'found';
  readonly record: ProfileRecord;
  readonly mark?: RecordMark;
}

/** Lookup options. */
export interface FindOptions {
  /** Whether looking up an in-flight request waits up to 100 ms for its end. Default true. */
  readonly waits?: boolean;
}

/** A record lookup's result. */
export type RecordLookup =
  | FoundRecord
  /** The text is not a valid token. */
  | { readonly kind: 'malformed' }
  | AbsentRecord
  /** The record exists but cannot be read: it is damaged or was written by a newer version, as `message` explains. */
  | { readonly kind: 'unreadable'; readonly code: string; readonly message: string };

/** The note on a pinned record, which the retention does not remove. */
export interface RecordMark {
  /** Empty if there is no note. */
  readonly note: string;
}
