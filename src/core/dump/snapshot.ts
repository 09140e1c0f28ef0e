/**
 * The kind of value that a snapshot shows; branches (with `entries`) are `object`, `array`, `map`, `set`, `error` and
 * `bytes`.
 */
export type SnapshotType =
  | 'undefined'
  | 'null'
  | 'boolean'
  | 'number'
  | 'bigint'
  | 'symbol'
  | 'string'
  | 'function'
  | 'date'
  | 'regexp'
  | 'promise'
  | 'proxy'
  | 'getter'
  | 'redacted'
  | 'reference'
  | 'unreadable'
  | 'object'
  | 'array'
  | 'map'
  | 'set'
  | 'error'
  | 'bytes';

/**
 * A value as plain, JSON-safe data: bounded and without secrets. Truncation is always marked: a string's `length` is its full length,
 * `more` counts omitted entries, `cut` names the limit that left a branch without entries.
 */
export interface Snapshot {
  readonly type: SnapshotType;
  /** A leaf's text (strings without quotes), or a branch's class name. */
  readonly text?: string;
  /** Full length of a truncated string; number of elements in an array, map or set; number of bytes in a buffer. */
  readonly length?: number;
  readonly entries?: readonly SnapshotEntry[];
  /** Number of entries omitted from `entries`. */
  readonly more?: number;
  /** The limit that left a branch without entries, although the value has some. */
  readonly cut?: 'depth' | 'size' | 'time';
  /** Number of the branch that a `reference` points to; the reference's `text` is the same number. */
  readonly id?: number;
}

/** A branch's member. */
export interface SnapshotEntry {
  readonly key: string;
  /**
   * `index` of an array or set, a `property`, a property that `for…in` skips (`hidden`), a `symbol`, or a map's `key`.
   */
  readonly kind: 'index' | 'property' | 'hidden' | 'symbol' | 'key';
  /** A map entry's key if it is not a string. */
  readonly keySnapshot?: Snapshot;
  readonly value: Snapshot;
}

/** Bounds of a snapshot. */
export interface DumpLimits {
  /** Branch levels. Default: 8. */
  depth?: number;
  /** Entries per branch. Default: 100. */
  entries?: number;
  /** Characters per string. Default: 2,000. */
  text?: number;
  /** Bytes of the snapshot as JSON. Default: 65,536. */
  bytes?: number;
  /** Milliseconds. Default: 10. Checked before each branch, after the first 200 snapshots. */
  milliseconds?: number;
}
