import type { WithBlocks } from '../sql/block-indexer.js';
import { replaceBlocks } from '../sql/replace-blocks.js';
import { runInTurn } from '../sql/sql-program.js';
import type { PostgresConnection } from './postgres-connection.js';
import { createPostgresReader } from './postgres-reader.js';
import { idAt, lockOf } from './postgres-schema.js';

/** Milliseconds that writers are waited for at most. */
const maxWaitMs = 200;

/** The blocks of a schema (as an identifier), which one process at a time makes, in one transaction. */
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
          runInTurn(replaceBlocks(change, `nextval('block_number')`), (text, values) =>
            transaction.rows(text, values),
          ),
      });
    });
  };
}

/** The first id that is not given out, while no writer is about to use one before it. */
async function horizonOf(connection: PostgresConnection, schema: string): Promise<number> {
  return connection.transaction(async (transaction) => {
    const [row] = await transaction.rows(
      `BEGIN; SET LOCAL lock_timeout = ${maxWaitMs}; SELECT pg_advisory_xact_lock(${lockOf('write', schema)});
       SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now`,
    );
    return idAt(Number(row?.['now']));
  });
}
