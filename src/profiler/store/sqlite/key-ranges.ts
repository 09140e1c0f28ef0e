import type { SqliteDatabase, SqliteStatement } from './sqlite-database.js';

/** Keys from `start` up to, and without, `end`. */
export interface KeyRange {
  readonly start: number;
  readonly end: number;
}

/** The ranges that hold the keys and no other, in order; each key counts once. */
export function toRanges(keys: readonly number[]): KeyRange[] {
  const sorted = Float64Array.from(keys).sort();
  const ranges: KeyRange[] = [];
  let start = 0;
  for (let at = 1; at <= sorted.length; at++) {
    const last = sorted[at - 1] ?? 0;
    const next = sorted[at];
    if (next === last || next === last + 1) continue;
    ranges.push({ start: sorted[start] ?? 0, end: last + 1 });
    start = at;
  }
  return ranges;
}

/**
 * Which segment has the record of a key. Keys are leased in blocks and given in order, so that the keys of a segment are
 * a few ranges, of which no two overlap. Used inside a transaction.
 */
export class KeyRanges {
  readonly #below: SqliteStatement;
  readonly #insert: SqliteStatement;
  readonly #delete: SqliteStatement;

  constructor(db: SqliteDatabase) {
    this.#below = db.prepare('SELECT end FROM key_range WHERE start < ? ORDER BY start DESC LIMIT 1');
    this.#insert = db.prepare('INSERT INTO key_range (start, end, segment) VALUES (?, ?, ?)');
    this.#delete = db.prepare('DELETE FROM key_range WHERE start >= ? AND start < ?');
  }

  /** Whether any key of the range is there. */
  meets({ start, end }: KeyRange): boolean {
    const below = this.#below.get(end);
    return below !== undefined && Number(below['end']) > start;
  }

  add(keys: readonly number[], segment: number | bigint): void {
    for (const { start, end } of toRanges(keys)) this.#insert.run(start, end, segment);
  }

  /** Takes away all keys of a segment. */
  remove(keys: readonly number[]): void {
    for (const { start, end } of toRanges(keys)) this.#delete.run(start, end);
  }
}

/** Number of the segment that has the key among its own; undefined where none has. */
export function findSegment(db: SqliteDatabase, key: number): number | undefined {
  const range = db
    .prepare('SELECT end, segment FROM key_range WHERE start <= ? ORDER BY start DESC LIMIT 1')
    .get(key);
  return range !== undefined && Number(range['end']) > key ? Number(range['segment']) : undefined;
}
