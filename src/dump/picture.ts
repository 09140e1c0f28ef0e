/**
 * Kinds of pictured things; branches (with `entries`) are `object`, `array`, `map`, `set`, `error` and `bytes`. Records
 * know them by their places: new ones go to the end.
 */
export const pictureTypes = [
  'undefined',
  'null',
  'boolean',
  'number',
  'bigint',
  'symbol',
  'string',
  'function',
  'date',
  'regexp',
  'promise',
  'proxy',
  'getter',
  'redacted',
  'reference',
  'unreadable',
  'object',
  'array',
  'map',
  'set',
  'error',
  'bytes',
] as const;
/** One of `pictureTypes`. */
export type PictureType = (typeof pictureTypes)[number];

/**
 * A value as plain, JSON-safe data: bounded and without secrets. Whatever a bound cut is always stated: `length` on a
 * string is its full length, `more` counts entries left out, `cut` names the bound that left a branch unopened.
 */
export interface Picture {
  readonly type: PictureType;
  /** A leaf's text (strings without quotes), or a branch's class name. */
  readonly text?: string;
  /** Full length of a string that was cut; elements of an array, map or set; bytes of a buffer. */
  readonly length?: number;
  readonly entries?: readonly PictureEntry[];
  /** Entries that are not in `entries`. */
  readonly more?: number;
  /** Why a branch has no entries although the value has some. */
  readonly cut?: 'depth' | 'size' | 'time';
  /** Number of a branch that a `reference` (its `text` is the number) points back to. */
  readonly id?: number;
}

/** One member of a branch. */
export interface PictureEntry {
  readonly key: string;
  /** `index` of an array or set, a `property`, a property that `for…in` skips (`hidden`), a `symbol`, or a map's `key`. */
  readonly kind: 'index' | 'property' | 'hidden' | 'symbol' | 'key';
  /** A map's key where it is no plain text. */
  readonly keyPicture?: Picture;
  readonly value: Picture;
}

/** Bounds of a picture. */
export interface DumpLimits {
  /** Levels of branches; 8. */
  depth?: number;
  /** Entries of one branch; 100. */
  entries?: number;
  /** Characters of one string; 2,000. */
  text?: number;
  /** Pictures in all; 2,000. */
  nodes?: number;
  /** Bytes of the picture as JSON; 65,536. */
  bytes?: number;
  /** Milliseconds; 10. Looked at between branches, once there are 200 pictures. */
  milliseconds?: number;
}
