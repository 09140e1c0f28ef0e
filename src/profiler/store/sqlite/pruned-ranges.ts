import type { PruneReason } from '../../model/record-lookup.js';
import { isPruneReason } from '../policy/retention.js';
import { toRanges } from '../tokens/to-ranges.js';
import type { SqliteDatabase, SqliteRow, SqliteStatement } from './sqlite-database.js';

/** Ranges that are remembered: neighbours grow together, so this many come only of years of holes. */
const maxRanges = 20_000;

/**
 * Which keys had a record that was pruned, and why, as ranges. A key in the middle of them that is in none had no
 * record: it was lost with its process. Used inside a transaction.
 */
export class PrunedRanges {
  readonly #before: SqliteStatement;
  readonly #at: SqliteStatement;
  readonly #remove: SqliteStatement;
  readonly #put: SqliteStatement;
  readonly #trim: SqliteStatement;

  constructor(db: SqliteDatabase) {
    this.#before = db.prepare(
      'SELECT start, end, reason FROM pruned WHERE start < ? ORDER BY start DESC LIMIT 1',
    );
    this.#at = db.prepare('SELECT start, end, reason FROM pruned WHERE start = ?');
    this.#remove = db.prepare('DELETE FROM pruned WHERE start = ?');
    this.#put = db.prepare('INSERT OR REPLACE INTO pruned (start, end, reason) VALUES (?, ?, ?)');
    this.#trim = db.prepare(
      `DELETE FROM pruned WHERE start <= (SELECT start FROM pruned ORDER BY start DESC LIMIT 1 OFFSET ${maxRanges})`,
    );
  }

  add(keys: readonly number[], reason: PruneReason): void {
    // Random keys are in no order: they are not remembered.
    for (const { start, end } of toRanges(keys.filter((key) => key >= 0))) this.#addRange(start, end, reason);
  }

  /** Forgets the oldest where there are too many. */
  trim(): void {
    this.#trim.run();
  }

  #addRange(start: number, end: number, reason: PruneReason): void {
    const before = this.#before.get(start);
    const after = this.#at.get(end);
    const joinsAfter = after?.['reason'] === reason;
    if (joinsAfter) this.#remove.run(end);
    this.#put.run(
      before?.['end'] === start && before['reason'] === reason ? Number(before['start']) : start,
      joinsAfter ? Number(after['end']) : end,
      reason,
    );
  }
}

/** Why the record of this key went; undefined where it never had one, or nobody remembers. */
export function findPruned(db: SqliteDatabase, key: number): PruneReason | undefined {
  const range = db
    .prepare('SELECT end, reason FROM pruned WHERE start <= ? ORDER BY start DESC LIMIT 1')
    .get(key);
  return range !== undefined && Number(range['end']) > key ? reasonOf(range, 'reason') : undefined;
}

/** The reason in a column; undefined where there is none. */
export function reasonOf(row: SqliteRow, column: string): PruneReason | undefined {
  const reason = row[column];
  return isPruneReason(reason) ? reason : undefined;
}
