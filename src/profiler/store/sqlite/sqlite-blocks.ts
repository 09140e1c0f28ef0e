import type { WithBlocks } from '../sql/block-indexer.js';
import { replaceBlocks } from '../sql/replace-blocks.js';
import { runAtOnce } from '../sql/sql-program.js';
import { runTransaction, type SqliteDatabase, SqliteStatements } from './sqlite-database.js';
import { createSqliteReader } from './sqlite-reader.js';

/** Tables beside the segments, made when they are first needed: what is in them can be made again of the segments at any time. */
const tables = `
  CREATE TABLE IF NOT EXISTS block (
    id INTEGER PRIMARY KEY AUTOINCREMENT, bucket TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    rows INTEGER NOT NULL, head TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS chunk (id INTEGER PRIMARY KEY, data BLOB NOT NULL)`;

/** The blocks of the file that is open at the moment. What becomes one is read before the file is held. */
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
          return runAtOnce(replaceBlocks(change, 'NULL'), new SqliteStatements(db).rows);
        }),
    });
  };
}
