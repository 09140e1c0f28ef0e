import type { WithBlocks } from '../sql/block-indexer.js';
import { replaceBlocks } from '../sql/replace-blocks.js';
import { runSync } from '../sql/sql-program.js';
import { runTransaction, type SqliteDatabase, SqliteStatements } from './sqlite-database.js';
import { createSqliteReader } from './sqlite-reader.js';

/** Tables that are created on first use. Their contents can be rebuilt from the segments at any time. */
const tables = `
  CREATE TABLE IF NOT EXISTS block (
    id INTEGER PRIMARY KEY AUTOINCREMENT, bucket TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    rows INTEGER NOT NULL, head TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS chunk (id INTEGER PRIMARY KEY, data BLOB NOT NULL)`;

/**
 * Opens the blocks of the file that is open at the moment. The parts of a new block are read before the file is locked.
 */
export function blocksOfSqlite(open: () => SqliteDatabase | undefined): WithBlocks {
  return async (step) => {
    const db = open();
    if (db === undefined) return false;
    return step({
      reader: createSqliteReader(db),
      below: Number.MAX_SAFE_INTEGER,
      replace: (change) =>
        runTransaction(db, () => {
          db.exec(tables);
          return runSync(replaceBlocks(change, 'NULL'), new SqliteStatements(db).rows);
        }),
    });
  };
}
