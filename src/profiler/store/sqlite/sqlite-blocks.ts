import type { RecordBucket } from '../../model/profile-record.js';
import type { BlockChange, NewBlock, WithBlocks } from '../sql/block-indexer.js';
import type { SqliteDatabase } from './sqlite-database.js';
import { maxChunks, SqliteReader } from './sqlite-reader.js';

/** The blocks of the file that is open at the moment. What becomes one is read before the file is held. */
export function blocksOfSqlite(open: () => SqliteDatabase | undefined): WithBlocks {
  return async (step) => {
    const db = open();
    if (db === undefined) return false;
    return step({
      reader: new SqliteReader(db),
      below: Number.MAX_SAFE_INTEGER,
      replace: (change) => replaceBlocks(db, change),
    });
  };
}

/** Unless another process was faster. */
function replaceBlocks(db: SqliteDatabase, { bucket, after, block, gone }: BlockChange): boolean {
  db.exec('BEGIN IMMEDIATE');
  try {
    makeTables(db);
    const newest = db.prepare('SELECT max(last) AS last FROM block WHERE bucket = ?').get(bucket);
    const isSame = Number(newest?.['last'] ?? 0) === after;
    for (const { id } of isSame ? gone : []) {
      db.prepare('DELETE FROM block WHERE id = ?').run(id);
      db.prepare('DELETE FROM chunk WHERE id >= ? AND id < ?').run(id * maxChunks, (id + 1) * maxChunks);
    }
    if (isSame && block !== undefined) insertBlock(db, bucket, block);
    db.exec('COMMIT');
    return isSame;
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

function insertBlock(
  db: SqliteDatabase,
  bucket: RecordBucket,
  { head, chunks, first, last }: NewBlock,
): void {
  const { lastInsertRowid } = db
    .prepare('INSERT INTO block (bucket, first, last, rows, head) VALUES (?, ?, ?, ?, ?)')
    .run(bucket, first, last, head.rows, JSON.stringify(head));
  const insert = db.prepare('INSERT INTO chunk VALUES (?, ?)');
  for (const [place, chunk] of chunks.entries())
    insert.run(Number(lastInsertRowid) * maxChunks + place, chunk);
}

/** Tables beside the segments, made when they are first needed: what is in them can be made again of the segments at any time. */
function makeTables(db: SqliteDatabase): void {
  db.exec(`
    CREATE TABLE IF NOT EXISTS block (
      id INTEGER PRIMARY KEY AUTOINCREMENT, bucket TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
      rows INTEGER NOT NULL, head TEXT NOT NULL
    );
    CREATE TABLE IF NOT EXISTS chunk (id INTEGER PRIMARY KEY, data BLOB NOT NULL)`);
}
