import { inflateRawSync } from 'node:zlib';
import type { WrittenRows } from '../../find/news-rows.js';
import { timeRange } from '../../find/prepare-query.js';
import { guardReading } from '../../form/guard-reading.js';
import type { SegmentData, SegmentRows } from '../../find/find-rows.js';
import type { RecordBytes } from '../../form/segment-reader.js';
import type { AbsentRecord, ProcessAccount, StoreNewsOrder, StoreSearch } from '../../model/profile-store.js';
import type { SegmentFacts } from '../../model/segment-facts.js';
import type { RecordBucket } from '../../model/profile-record.js';
import { unpackKeys } from '../tokens/key-list.js';
import { checkSums } from '../pages/block-sums.js';
import { findSegment } from './key-ranges.js';
import { byReason } from '../policy/retention.js';
import { hasAccounts } from './sqlite-schema.js';
import { findPruned } from './pruned-ranges.js';
import type { SqliteDatabase, SqliteRow } from './sqlite-database.js';

/** Headers of segments read at one go. */
const pageSegments = 256;
const headColumns = 'id, records, gone, started_at, closed_at, facts';
/** Bytes that a segment may have when inflated. */
const maxSegmentBytes = 128 * 1024 * 1024;
const empty = new Uint8Array(0);

/** Reads from an open file. */
export class SqliteReader {
  readonly #db: SqliteDatabase;
  constructor(db: SqliteDatabase) {
    this.#db = db;
  }

  secret(): string {
    return String(this.#db.prepare(`SELECT value FROM meta WHERE name = 'secret'`).get()?.['value'] ?? '');
  }

  /** `run`: the process that asks, which knows itself what it has not written yet. */
  find(key: number, run: number): RecordBytes | AbsentRecord {
    const place = this.placeOf(key);
    const data =
      place === undefined
        ? undefined
        : this.#db.prepare('SELECT keys, directory, body FROM segment_data WHERE id = ?').get(place.segment);
    if (place === undefined || data === undefined) return this.#explain(key, run);
    const { keys, parts } = guardReading(() => readParts(data, 'directory', 'body'));
    const [directory = empty, body = empty] = parts;
    return { keys, directory, body, index: place.index };
  }

  /** Where the record of a key is, unless it is gone. */
  placeOf(key: number): { segment: number; keys: readonly number[]; index: number } | undefined {
    const segment = findSegment(this.#db, key);
    if (segment === undefined) return undefined;
    const found = this.#db
      .prepare('SELECT gone, keys FROM segment JOIN segment_data USING (id) WHERE id = ?')
      .get(segment);
    if (found === undefined) return undefined;
    const keys = unpackKeys(bytesOf(found, 'keys'));
    const index = keys.indexOf(key);
    return index < Number(found['gone']) ? undefined : { segment, keys, index };
  }

  /** Segments with `from` ≤ id ≤ `to`, oldest first, and what is in them; without those that are damaged. */
  segments(
    bucket: RecordBucket,
    { from, to }: { readonly from: number; readonly to: number },
  ): readonly (SegmentRows & { readonly id: number; readonly data: SegmentData })[] {
    const found = [...this.heads({ query: { bucket }, above: from - 1, end: to })].toReversed();
    return found.flatMap((segment) => {
      const data = this.segment(segment.id);
      return data === undefined ? [] : { ...segment, data };
    });
  }

  segment(id: number): SegmentData | undefined {
    const data = this.#db.prepare('SELECT keys, directory FROM segment_data WHERE id = ?').get(id);
    if (data === undefined) return undefined;
    try {
      const { keys, parts } = readParts(data, 'directory');
      return { keys, directory: parts[0] ?? empty };
    } catch {
      return undefined; // one that is damaged takes no list with it; `store check` names it
    }
  }

  /** How many records stand in segments that are not what was written. */
  countDamaged(): number {
    let damaged = 0;
    const read = this.#db.prepare('SELECT keys, directory, body FROM segment_data WHERE id = ?');
    for (const { id, records, gone } of this.#db.prepare('SELECT id, records, gone FROM segment').all()) {
      try {
        readParts(read.get(id ?? null) ?? {}, 'directory', 'body');
      } catch {
        damaged += Number(records) - Number(gone);
      }
    }
    return damaged;
  }

  processes(): readonly ProcessAccount[] {
    if (!hasAccounts(this.#db)) return []; // a file of an earlier version that is only read
    const rows = this.#db
      .prepare('SELECT * FROM run WHERE seen_at > 0 ORDER BY started_at DESC LIMIT 1000')
      .all();
    return rows.map((row) => {
      const number = (name: string): number => Number(row[name]);
      const pruned = Object.values(byReason((reason) => number(`pruned_${reason}`))).reduce((a, b) => a + b);
      return {
        host: String(row['host']),
        pid: number('process_id'),
        version: String(row['version']),
        startedAt: number('started_at'),
        seenAt: number('seen_at'),
        state: number('pid') === 0 ? 'ended' : isRunning(number('pid')) ? 'running' : 'lost',
        made: number('made'),
        dropped: number('dropped'),
        pending: number('pending'),
        stored: number('written') - pruned,
        pruned,
      };
    });
  }

  notes(kind: string, name?: string): ReadonlyMap<string, string> {
    const tables = this.#db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'note'").all();
    if (tables.length === 0) return new Map();
    const rows = this.#db
      .prepare('SELECT name, text FROM note WHERE kind = ? AND (? IS NULL OR name = ?) ORDER BY name')
      .all(kind, name ?? null, name ?? null);
    return new Map(rows.map((row) => [String(row['name']), String(row['text'])]));
  }

  /** Segments written behind a position, which is the number of one, and the present position. */
  written(order: StoreNewsOrder): {
    readonly segments: Iterable<WrittenRows>;
    readonly present: string;
    readonly isGap: boolean;
  } {
    const sequence = this.#db.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'segment'`).get();
    const present = Number(sequence?.['seq'] ?? 0);
    const from = order.position === null ? present : Number(order.position);
    const begin = this.#db.prepare(`SELECT value FROM meta WHERE name = 'begin'`).get();
    const isGap = !(from <= present && from >= Number(begin?.['value'] ?? 0));
    return { segments: this.#behind(isGap ? present : from, order), present: String(present), isGap };
  }

  *#behind(from: number, { query }: StoreNewsOrder): Iterable<WrittenRows> {
    const heads = this.#db
      .prepare(
        `SELECT ${headColumns} FROM segment WHERE bucket = ? AND id > ? ORDER BY id LIMIT ${pageSegments}`,
      )
      .all(query.bucket ?? 'app', from);
    for (const head of heads) yield { ...this.#segmentOf(head), position: String(head['id']) };
  }

  #segmentOf(head: SqliteRow): SegmentRows & { readonly id: number } {
    const id = Number(head['id']);
    return {
      id,
      startedAt: Number(head['started_at']),
      closedAt: Number(head['closed_at']),
      facts: JSON.parse(String(head['facts'])) as SegmentFacts, // written from them
      from: Number(head['gone']),
      to: Number(head['records']),
      read: () => this.segment(id),
    };
  }

  /** Segments with `above` < id ≤ `end`, newest first. */
  *heads({
    query,
    above,
    end,
  }: Pick<StoreSearch, 'query'> & { readonly above: number; readonly end: number }): Iterable<
    SegmentRows & { readonly id: number }
  > {
    const { least, most } = timeRange(query.where);
    const page = this.#db.prepare(
      `SELECT ${headColumns} FROM segment WHERE bucket = ? AND id > ? AND id <= ? AND closed_at >= ? AND started_at <= ?
       ORDER BY id DESC LIMIT ${pageSegments}`,
    );
    for (let below = end; ;) {
      const heads = page.all(query.bucket ?? 'app', above, below, least, most);
      for (const head of heads) yield this.#segmentOf(head);
      if (heads.length < pageSegments) return;
      below = Number(heads.at(-1)?.['id']) - 1;
    }
  }

  #explain(key: number, run: number): AbsentRecord {
    const aside = this.#db.prepare(`SELECT value FROM meta WHERE name = 'aside'`).get();
    const next = Number(this.#db.prepare(`SELECT value FROM meta WHERE name = 'next'`).get()?.['value'] ?? 0);
    if (key < 0 || key >= next) return aside === undefined ? 'never' : 'set-aside';
    const reason = findPruned(this.#db, key);
    if (reason !== undefined) return reason;
    const lease = this.#db
      .prepare(
        'SELECT end, run, pid FROM lease JOIN run ON run.id = run WHERE start <= ? ORDER BY start DESC LIMIT 1',
      )
      .get(key);
    if (lease === undefined || Number(lease['end']) <= key)
      return aside === undefined ? 'pruned' : 'set-aside';
    return Number(lease['run']) !== run && isRunning(Number(lease['pid'])) ? 'unwritten' : 'missing';
  }
}

/** A process that closed the file has left 0 for its number. */
function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function bytesOf(row: SqliteRow, name: string): Uint8Array {
  const value = row[name];
  if (value instanceof Uint8Array) return value;
  throw new RangeError(`The segment has no ${name}.`);
}

/** Inflates parts of a segment. Throws a RangeError where they are not what was written. */
function readParts(
  row: SqliteRow,
  ...names: readonly string[]
): { keys: readonly number[]; parts: Uint8Array[] } {
  const parts = names.map((name) => bytesOf(row, name));
  const { keys, sound } = checkSums(bytesOf(row, 'keys'), parts);
  if (sound?.some((bytes, at) => bytes !== parts[at]?.length) === true)
    throw new RangeError('The bytes in the file are not those that were written.');
  return { keys, parts: parts.map((part) => inflateRawSync(part, { maxOutputLength: maxSegmentBytes })) };
}
