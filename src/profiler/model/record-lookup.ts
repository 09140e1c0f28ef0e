import type { ProfileRecord } from './profile-record.js';

/** Which limit of the retention a record fell to; `purge` is the order of a person. */
export type PruneReason = 'count' | 'age' | 'bytes' | 'purge';

/** The result of looking up a record. */
export type RecordLookup =
  | { readonly kind: 'found'; readonly record: ProfileRecord }
  /** Not of the form of a token. */
  | { readonly kind: 'malformed' }
  /** It existed; `by` is null if the reason of its removal is no longer known. */
  | { readonly kind: 'pruned'; readonly by: PruneReason | null }
  /**
   * A token that was given out, but whose record was not kept: dropped by this process (`isDropped`), lost with one, or
   * possibly (`isSetAside`) in a damaged file that was set aside.
   */
  | { readonly kind: 'missing'; readonly isDropped?: boolean; readonly isSetAside?: boolean }
  /** Given out by another process, which still runs and has not written the record (yet). */
  | { readonly kind: 'unwritten' }
  /** It exists, but cannot be read: it was written by a newer version, or is damaged. `message` says so. */
  | { readonly kind: 'unreadable'; readonly code: string; readonly message: string }
  /** No such token was ever given out. */
  | { readonly kind: 'never' };
