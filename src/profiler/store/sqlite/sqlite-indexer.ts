import { performance } from 'node:perf_hooks';
import { blockPart, segmentPart } from '../../find/block/block-parts.js';
import { type BlockPart, writeBlock } from '../../find/block/write-block.js';
import type { Segment } from '../../model/profile-store.js';
import type { RecordBucket } from '../../model/profile-record.js';
import {
  deleteBlock,
  insertBlock,
  listBlocks,
  makeBlockTables,
  openBlock,
  readHead,
  type SqliteBlock,
} from './sqlite-search.js';
import type { SqliteDatabase } from './sqlite-database.js';
import { SqliteReader } from './sqlite-reader.js';

/** What becomes a block: so many segments, or so many rows; and the rows that one has at most, roughly. */
const atLeast = { segments: 64, rows: 32_768 } as const;
const maxRows = 32_768;
/** So many blocks in a row, of which none has this many times the rows of another's tier, become one. */
const mergedBlocks = 8;
/** Milliseconds that nothing is tried again after a failure: the blocks only make searches fast. */
const pauseMs = 60_000;

/** Puts the rows of segments together in blocks, behind what is written: searches read these, and the segments that follow. */
export class SqliteIndexer {
  /** Segments and rows written by this process since it last looked; whatever the file had before, it looks once. */
  #waiting: { segments: number; rows: number } = { segments: atLeast.segments, rows: 0 };
  #pausedUntil = 0;

  /** What was just written. */
  add(written: readonly Segment[]): void {
    this.#waiting.segments += written.length;
    for (const { keys } of written) this.#waiting.rows += keys.length;
  }

  /** Makes blocks that are due for so many milliseconds, one at least; whether there are more. Never throws. */
  run(db: SqliteDatabase | undefined, milliseconds: number): boolean {
    if (db === undefined) return false;
    const { segments, rows } = this.#waiting;
    const start = performance.now();
    if ((segments < atLeast.segments && rows < atLeast.rows) || start < this.#pausedUntil) return false;
    try {
      for (const bucket of ['app', 'profiler'] as const)
        if (new BucketIndexer(db, bucket).make(start + milliseconds)) return true;
      this.#waiting = { segments: 0, rows: 0 };
    } catch {
      this.#pausedUntil = performance.now() + pauseMs;
    }
    return false;
  }
}

class BucketIndexer {
  readonly #db: SqliteDatabase;
  readonly #bucket: RecordBucket;
  readonly #reader: SqliteReader;

  constructor(db: SqliteDatabase, bucket: RecordBucket) {
    this.#db = db;
    this.#bucket = bucket;
    this.#reader = new SqliteReader(db);
  }

  /** Makes blocks until then; whether there are more to be made. */
  make(until: number): boolean {
    this.#forget();
    while (this.#index() || this.#merge()) if (performance.now() > until) return true;
    return false;
  }

  /** A block of the segments behind the last one; false where there are too few. */
  #index(): boolean {
    const last = this.#blocks()[0]?.last ?? 0;
    const heads = this.#db
      .prepare('SELECT id, records FROM segment WHERE bucket = ? AND id > ? ORDER BY id LIMIT 1024')
      .all(this.#bucket, last)
      .map((row) => ({ id: Number(row['id']), records: Number(row['records']) }));
    const total = heads.reduce((sum, { records }) => sum + records, 0);
    if (heads.length < atLeast.segments && total < atLeast.rows) return false;
    let rows = 0;
    const taken = heads.filter(({ records }) => (rows += records) <= maxRows + records);
    const [first, end] = [taken[0]?.id ?? 0, taken.at(-1)?.id ?? 0];
    const parts = this.#reader
      .segments(this.#bucket, { from: first, to: end })
      .map(({ id, startedAt, closedAt, facts, data }) =>
        segmentPart({ id, startedAt, closedAt, facts }, data),
      );
    return this.#replace({ after: last, parts, gone: [] });
  }

  /** One of the newest blocks that are alike; false where there are too few of them. */
  #merge(): boolean {
    const blocks = this.#blocks();
    const tier = tierOf(blocks[0]?.rows ?? 0);
    const alike = blocks.slice(0, mergedBlocks).filter(({ rows }) => tierOf(rows) === tier);
    const rows = alike.reduce((sum, block) => sum + block.rows, 0);
    if (alike.length < mergedBlocks || rows > 2 * maxRows) return false;
    const open = (block: SqliteBlock): BlockPart =>
      blockPart(
        openBlock(this.#db, block, {
          head: readHead(this.#db, block),
          segment: (id) => this.#reader.segment(id),
          damaged: () => this.#deleteFrom(block),
        }),
      );
    const parts = alike.toReversed().map(open);
    return this.#replace({ after: blocks[0]?.last ?? 0, parts, gone: alike });
  }

  /** What is read and put together outside of the transaction takes its place, unless another process was faster. */
  #replace({
    after,
    parts,
    gone,
  }: {
    readonly after: number;
    readonly parts: readonly BlockPart[];
    readonly gone: readonly SqliteBlock[];
  }): boolean {
    if (parts.length === 0) return false;
    const written = writeBlock(parts);
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      makeBlockTables(this.#db);
      const isSame = (this.#blocks()[0]?.last ?? 0) === after;
      if (isSame) {
        for (const block of gone) deleteBlock(this.#db, block);
        const [first = 0] = parts[0]?.segments[0] ?? [];
        const [last = 0] = parts.at(-1)?.segments.at(-1) ?? [];
        insertBlock(this.#db, this.#bucket, { ...written, first, last });
      }
      this.#db.exec('COMMIT');
      return isSame;
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  /** A block, and all behind it: their segments become blocks anew. */
  #deleteFrom({ first }: SqliteBlock): void {
    for (const block of this.#blocks()) if (block.first >= first) deleteBlock(this.#db, block);
  }

  /** Blocks of which all segments were pruned. */
  #forget(): void {
    const [oldest] = this.#db
      .prepare('SELECT id FROM segment WHERE bucket = ? ORDER BY id LIMIT 1')
      .all(this.#bucket);
    const start = oldest === undefined ? Number.MAX_SAFE_INTEGER : Number(oldest['id']);
    for (const block of this.#blocks().toReversed()) {
      if (block.last >= start) return;
      deleteBlock(this.#db, block);
    }
  }

  #blocks(): readonly SqliteBlock[] {
    return listBlocks(this.#db, this.#bucket);
  }
}

function tierOf(rows: number): number {
  return Math.floor(Math.log(Math.max(1, rows)) / Math.log(mergedBlocks));
}
