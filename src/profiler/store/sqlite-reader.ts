import { inflateRawSync } from 'node:zlib';
import type { AbsentRecord, ScanRange, StoredRecord, StoredRows } from '../model/profile-store.js';
import { unpackKeys } from './key-list.js';
import { findPruned, reasonOf } from './pruned-ranges.js';
import type { SqliteDatabase, SqliteRow } from './sqlite-database.js';

/** Headers of segments read at one go. */
const page = 256;
/** Bytes that a segment may have when inflated. */
const largest = 128 * 1024 * 1024;

/** Reads from an open file. */
export class SqliteReader {
  readonly #db: SqliteDatabase;

  constructor(db: SqliteDatabase) {
    this.#db = db;
  }

  find(key: number): StoredRecord | AbsentRecord {
    const place = this.#db.prepare('SELECT segment, place FROM record WHERE key = ?').get(key);
    const data =
      place === undefined
        ? undefined
        : this.#db.prepare('SELECT * FROM segment_data WHERE id = ?').get(place['segment'] ?? 0);
    if (place === undefined || data === undefined) return this.#explain(key);
    return {
      keys: unpackKeys(bytesOf(data, 'keys')),
      directory: inflate(data, 'directory'),
      body: inflate(data, 'body'),
      index: Number(place['place']),
    };
  }

  *scan(range: ScanRange): Iterable<StoredRows> {
    const last =
      range.before === undefined
        ? undefined
        : this.#db.prepare('SELECT segment, place FROM record WHERE key = ?').get(range.before);
    if (range.before !== undefined && last === undefined) return;
    const lastSegment = last === undefined ? undefined : Number(last['segment']);
    let below = lastSegment === undefined ? Number.MAX_SAFE_INTEGER : lastSegment + 1;
    for (;;) {
      const heads = this.#heads(range, below);
      for (const head of heads) {
        below = Number(head['id']);
        if (!range.mayMatch(String(head['facts']))) continue;
        const data = this.#db.prepare('SELECT keys, directory FROM segment_data WHERE id = ?').get(below);
        if (data === undefined) continue;
        yield {
          keys: unpackKeys(bytesOf(data, 'keys')),
          directory: inflate(data, 'directory'),
          from: Number(head['gone']),
          to: below === lastSegment ? Number(last?.['place']) : Number(head['records']),
        };
      }
      if (heads.length < page) return;
    }
  }

  #heads(range: ScanRange, below: number): SqliteRow[] {
    return this.#db
      .prepare(
        `SELECT id, records, gone, facts FROM segment
         WHERE bucket = ? AND id < ? AND closed_at >= ? AND started_at <= ? ORDER BY id DESC LIMIT ${page}`,
      )
      .all(range.bucket, below, range.start ?? 0, range.end ?? Number.MAX_SAFE_INTEGER);
  }

  #explain(key: number): AbsentRecord {
    const next = Number(this.#db.prepare(`SELECT value FROM meta WHERE name = 'next'`).get()?.['value'] ?? 0);
    if (key < 0 || key >= next) return 'never';
    const reason = findPruned(this.#db, key);
    if (reason !== undefined) return reason;
    const lease = this.#db
      .prepare('SELECT end, pruned FROM lease WHERE start <= ? ORDER BY start DESC LIMIT 1')
      .get(key);
    if (lease === undefined || Number(lease['end']) <= key) return 'pruned';
    return reasonOf(lease, 'pruned') ?? 'missing';
  }
}

function bytesOf(row: SqliteRow, name: string): Uint8Array {
  const value = row[name];
  if (value instanceof Uint8Array) return value;
  throw new RangeError(`The segment has no ${name}.`);
}

function inflate(row: SqliteRow, name: string): Uint8Array {
  return inflateRawSync(bytesOf(row, name), { maxOutputLength: largest });
}
