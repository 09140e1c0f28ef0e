import type { WithBlocks } from '../sql/block-indexer.js';
import { replaceBlocks } from '../sql/replace-blocks.js';
import { runAsync } from '../sql/sql-program.js';
import type { PostgresConnection } from './postgres-connection.js';
import { createPostgresReader } from './postgres-reader.js';
import { idAt, lockOf } from './postgres-schema.js';

/** Maximum time to wait for writers, in milliseconds. */
const maxWaitMs = 200;

/**
 * Opens the blocks of a schema (given as a quoted identifier). One process at a time builds blocks, in one transaction.
 */
export function blocksOfPostgres(connection: PostgresConnection, schema: string): WithBlocks {
  return async (step) => {
    const below = await horizonOf(connection, schema);
    return connection.transaction(async (transaction) => {
      const [lock] = await transaction.rows(
        `BEGIN; SET LOCAL search_path TO ${schema};
         SELECT pg_try_advisory_xact_lock(${lockOf('index', schema)}) AS mine`,
      );
      if (lock?.['mine'] !== true) return false;
      const reader = createPostgresReader(transaction, schema);
      return step({
        reader,
        below,
        replace: (change) =>
          runAsync(replaceBlocks(change, `nextval('block_number')`), (text, values) =>
            transaction.rows(text, values),
          ),
      });
    });
  };
}

/**
 * Returns an id below which no new segment can appear. Holding the writers' lock exclusively ensures that no write is
 * in progress.
 */
async function horizonOf(connection: PostgresConnection, schema: string): Promise<number> {
  return connection.transaction(async (transaction) => {
    const [row] = await transaction.rows(
      `BEGIN; SET LOCAL lock_timeout = ${maxWaitMs}; SELECT pg_advisory_xact_lock(${lockOf('write', schema)});
       SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now`,
    );
    return idAt(Number(row?.['now']));
  });
}
