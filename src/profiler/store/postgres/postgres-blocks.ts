import type { BlockChange, WithBlocks } from '../sql/block-indexer.js';
import type { PostgresConnection, Statements } from './postgres-connection.js';
import { maxChunks, PostgresReader } from './postgres-reader.js';
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
      const reader = new PostgresReader(transaction, schema);
      return step({ reader, below, replace: (change) => replaceBlocks(transaction, change) });
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

async function replaceBlocks(
  transaction: Statements,
  { bucket, block, gone }: BlockChange,
): Promise<boolean> {
  if (block !== undefined) {
    const [row] = await transaction.rows(
      `INSERT INTO block SELECT nextval('block_number'), $1, $2, $3, $4, $5 RETURNING id`,
      [bucket, block.first, block.last, block.head.rows, JSON.stringify(block.head)],
    );
    const id = Number(row?.['id']) * maxChunks;
    const places = block.chunks.map((_, place) => `(${id + place}, $${place + 1})`);
    await transaction.rows(
      `INSERT INTO chunk VALUES ${places.join(', ')}`,
      block.chunks.map((chunk) => Buffer.from(chunk)),
    );
  }
  for (const { id } of gone)
    await transaction.rows(
      `DELETE FROM chunk WHERE id >= ${id * maxChunks} AND id < ${(id + 1) * maxChunks}`,
    );
  if (gone.length > 0)
    await transaction.rows('DELETE FROM block WHERE id = ANY($1::bigint[])', [gone.map(({ id }) => id)]);
  return true;
}
