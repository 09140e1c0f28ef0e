import type { BlockHead } from '../../find/block/block-form.js';
import { type BlockSource, BlockUnreadable, RowBlock } from '../../find/block/row-block.js';
import type { WrittenBlock } from '../../find/block/write-block.js';
import type { RecordBucket } from '../../model/profile-record.js';
import type { SqliteDatabase, SqliteRow } from './sqlite-database.js';

/** Chunks that a block may have: its number times this is that of its first. */
const maxChunks = 1024;

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
