import { filePathOf } from '../tables/store-name.js';
import { SqliteDatabase } from '../tables/sqlite-database.js';
import { readMeta } from '../tables/table-schema.js';
import type { WriterThreadData } from './thread-link.js';

/** A process's first ids: `from` inclusive, `to` exclusive. */
export interface FirstIds {
  readonly from: number;
  readonly to: number;
  /**
   * Closes the connection that reserved them. Called once the writer thread has its own: SQLite writes to the disk and
   * waits for it when the last connection closes.
   */
  release(): void;
}

/**
 * Reserves ids in the calling thread, within a few milliseconds and without starting the writer thread. Returns
 * undefined for a store that is not a file. Throws a coded error if the file is locked, missing its driver, damaged or
 * unusable in any other way, and changes nothing then.
 */
export async function reserveFirstIds(
  { address, retention }: WriterThreadData,
  amount: number,
): Promise<FirstIds | undefined> {
  const path = filePathOf(address);
  if (path === undefined) return undefined;
  const database = new SqliteDatabase({ path, maxBytes: retention.bytes, isHurried: true });
  const release = (): void => database.closeNow();
  try {
    const from = await database.write(async (tables) => {
      const meta = await readMeta(tables);
      const next = meta.get('next');
      meta.set('next', next + amount);
      await meta.save(tables);
      return next;
    });
    return { from, to: from + amount, release };
  } catch (error) {
    release();
    throw error;
  }
}
