import { type KeyRange, toRanges } from '../tokens/to-ranges.js';
import type { SqliteDatabase, SqliteStatement } from './sqlite-database.js';

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
