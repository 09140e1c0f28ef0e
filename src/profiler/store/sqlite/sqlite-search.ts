import type { BlockHead } from '../../find/block/block-form.js';
import { type BlockSource, BlockUnreadable, RowBlock } from '../../find/block/row-block.js';
import type { WrittenBlock } from '../../find/block/write-block.js';
import type { SegmentRows } from '../../find/find-rows.js';
import { readNewRows } from '../../find/news-rows.js';
import { searchSegments } from '../../find/search-rows.js';
import { totalRows } from '../../find/total-rows.js';
import type {
  StoreNews,
  StoreNewsOrder,
  StorePage,
  StoreSearch,
  StoreTotalsOrder,
} from '../../model/profile-store.js';
import type { RecordBucket } from '../../model/profile-record.js';
import type { StoreTotals } from '../../model/profile-totals.js';
import type { SqliteDatabase, SqliteRow } from './sqlite-database.js';
import type { SqliteReader } from './sqlite-reader.js';

export { BlockUnreadable };

/** Chunks that a block may have: its number times this is that of its first. */
const maxChunks = 1024;

/** Heads of blocks that are kept. */
const maxKnown = 500;

/** Searches an open file: its blocks, and the segments behind them. */
export class SqliteSearch {
  readonly #db: SqliteDatabase;
  readonly #reader: SqliteReader;
  /** Heads of blocks, which never change. */
  readonly #known = new Map<number, BlockHead>();
  /** Blocks that are not what was written. */
  readonly #damaged = new Set<number>();

  constructor(db: SqliteDatabase, reader: SqliteReader) {
    this.#db = db;
    this.#reader = reader;
  }

  search(search: StoreSearch): Promise<StorePage> {
    return searchSegments(this.#rows(search), search);
  }

  /** What was written behind a position. */
  async news(order: StoreNewsOrder): Promise<StoreNews> {
    const { segments, present, isGap } = this.#reader.written(order);
    const { rows, position = present } = readNewRows(segments, order);
    return { rows, position, isGap };
  }

  totals(order: StoreTotalsOrder): Promise<StoreTotals> {
    return totalRows(this.#rows(order), order);
  }

  /** Segments and blocks of them newest first, the one of the cursor up to it. */
  *#rows({ query, before, key }: Pick<StoreSearch, 'query' | 'before' | 'key'>): Iterable<SegmentRows> {
    const { bucket = 'app' } = query;
    const cursor = key ?? before;
    const last = cursor === undefined ? undefined : this.#reader.placeOf(cursor);
    if (cursor !== undefined && last === undefined) return;
    const blocks = listBlocks(this.#db, bucket);
    const end = last === undefined ? Number.MAX_SAFE_INTEGER : last.segment;
    const start = key === undefined ? (blocks[0]?.last ?? 0) : end - 1;
    for (const segment of this.#reader.heads({ query, above: start, end })) {
      if (segment.id !== last?.segment) yield segment;
      else if (key === undefined) yield { ...segment, to: last.index };
      else yield { ...segment, from: last.index, to: last.index + 1 };
    }
    if (key !== undefined) return;
    const oldest = this.#db
      .prepare('SELECT id, gone FROM segment WHERE bucket = ? ORDER BY id LIMIT 1')
      .get(bucket);
    const first = {
      id: Number(oldest?.['id'] ?? Number.MAX_SAFE_INTEGER),
      gone: Number(oldest?.['gone'] ?? 0),
    };
    for (const block of blocks) {
      if (block.last < first.id) return;
      if (block.first > end) continue;
      const rows = this.#rowsOf(block, { first, last });
      if (rows === undefined) yield* this.#segmentsOf(block, { query, last });
      else yield rows;
    }
  }

  /** The rows of a block between the first one that is there and the one of the cursor; undefined where it is damaged. */
  #rowsOf(
    block: SqliteBlock,
    {
      first,
      last,
    }: {
      readonly first: { id: number; gone: number };
      readonly last: { segment: number; index: number } | undefined;
    },
  ): SegmentRows | undefined {
    if (this.#damaged.has(block.id)) return undefined;
    let head = this.#known.get(block.id);
    if (head === undefined) this.#known.set(block.id, (head = readHead(this.#db, block)));
    if (this.#known.size > maxKnown) this.#known.delete(this.#known.keys().next().value ?? -1);
    const open = openBlock(this.#db, block, {
      head,
      segment: (id) => this.#reader.segment(id),
      damaged: () => this.#damaged.add(block.id),
    });
    const start = block.first > first.id ? 0 : open.startOf(first.id);
    const hasFirst = block.first <= first.id && open.startOf(first.id + 1) > start;
    return {
      ...head,
      from: start + (hasFirst ? first.gone : 0),
      to:
        last !== undefined && last.segment <= block.last
          ? open.startOf(last.segment) + last.index
          : head.rows,
      read: () => open,
      excludes: (conditions) => open.excludes(conditions),
    };
  }

  /** What a damaged block was made of. */
  *#segmentsOf(
    block: SqliteBlock,
    {
      query,
      last,
    }: Pick<StoreSearch, 'query'> & { readonly last: { segment: number; index: number } | undefined },
  ): Iterable<SegmentRows> {
    const end = Math.min(block.last, last?.segment ?? block.last);
    for (const segment of this.#reader.heads({ query, above: block.first - 1, end }))
      yield segment.id === last?.segment ? { ...segment, to: last.index } : segment;
  }
}

/** A block, and the first and the last of its segments. */
export interface SqliteBlock {
  readonly id: number;
  readonly first: number;
  readonly last: number;
  readonly rows: number;
}

/** Tables beside the segments, made when they are first needed: what is in them can be made again of the segments at any time. */
export function makeBlockTables(db: SqliteDatabase): void {
  db.exec(`
    CREATE TABLE IF NOT EXISTS block (
      id INTEGER PRIMARY KEY AUTOINCREMENT, bucket TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
      rows INTEGER NOT NULL, head TEXT NOT NULL
    );
    CREATE TABLE IF NOT EXISTS chunk (id INTEGER PRIMARY KEY, data BLOB NOT NULL)`);
}

/** Blocks of a bucket, newest first. */
export function listBlocks(db: SqliteDatabase, bucket: RecordBucket): readonly SqliteBlock[] {
  if (db.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'chunk'`).get() === undefined) return [];
  const rows = db
    .prepare('SELECT id, first, last, rows FROM block WHERE bucket = ? ORDER BY first DESC')
    .all(bucket);
  return rows.map((row) => ({
    id: Number(row['id']),
    first: Number(row['first']),
    last: Number(row['last']),
    rows: Number(row['rows']),
  }));
}

export function readHead(db: SqliteDatabase, { id }: SqliteBlock): BlockHead {
  const row = db.prepare('SELECT head FROM block WHERE id = ?').get(id);
  return JSON.parse(String(found(row)['head'])) as BlockHead; // our own writing
}

export function openBlock(
  db: SqliteDatabase,
  { id }: SqliteBlock,
  { head, ...source }: { readonly head: BlockHead } & Omit<BlockSource, 'chunk'>,
): RowBlock {
  const read = db.prepare('SELECT data FROM chunk WHERE id = ?');
  return new RowBlock(head, {
    ...source,
    chunk(place) {
      const data = found(read.get(id * maxChunks + place))['data'];
      return data instanceof Uint8Array ? data : new Uint8Array();
    },
  });
}

/** Inside a transaction. */
export function insertBlock(
  db: SqliteDatabase,
  bucket: RecordBucket,
  { head, chunks, first, last }: WrittenBlock & { readonly first: number; readonly last: number },
): void {
  const { lastInsertRowid } = db
    .prepare('INSERT INTO block (bucket, first, last, rows, head) VALUES (?, ?, ?, ?, ?)')
    .run(bucket, first, last, head.rows, JSON.stringify(head));
  const insert = db.prepare('INSERT INTO chunk VALUES (?, ?)');
  for (const [place, chunk] of chunks.entries())
    insert.run(Number(lastInsertRowid) * maxChunks + place, chunk);
}

/** Inside a transaction. */
export function deleteBlock(db: SqliteDatabase, { id }: Pick<SqliteBlock, 'id'>): void {
  db.prepare('DELETE FROM block WHERE id = ?').run(id);
  db.prepare('DELETE FROM chunk WHERE id >= ? AND id < ?').run(id * maxChunks, (id + 1) * maxChunks);
}

function found(row: SqliteRow | undefined): SqliteRow {
  if (row === undefined) throw new BlockUnreadable('The block is not there any more.');
  return row;
}
