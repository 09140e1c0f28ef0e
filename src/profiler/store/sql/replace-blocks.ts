import type { BlockChange } from './block-indexer.js';
import { query, type SqlProgram } from './sql-program.js';

/** Maximum number of chunks per block. The id of a block's first chunk is the id of the block times this. */
export const maxChunks = 1024;

/**
 * Replaces blocks by a new one. Returns false, and changes nothing, if another process was faster. `newId` is the SQL
 * expression for the id of a new block.
 */
export function* replaceBlocks(
  { bucket, after, block, gone }: BlockChange,
  newId: string,
): SqlProgram<boolean> {
  const [newest] = yield* query('SELECT max(last) AS last FROM block WHERE bucket = $1', [bucket]);
  if (Number(newest?.['last'] ?? 0) !== after) return false;
  for (const { id } of gone) {
    yield* query('DELETE FROM block WHERE id = $1', [id]);
    yield* query('DELETE FROM chunk WHERE id >= $1 AND id < $2', [id * maxChunks, (id + 1) * maxChunks]);
  }
  if (block === undefined) return true;
  const { first, last, head, chunks } = block;
  const [row] = yield* query(
    `INSERT INTO block (id, bucket, first, last, rows, head) VALUES (${newId}, $1, $2, $3, $4, $5) RETURNING id`,
    [bucket, first, last, head.rows, JSON.stringify(head)],
  );
  const id = Number(row?.['id']) * maxChunks;
  const places = chunks.map((_, place) => `($${2 * place + 1}, $${2 * place + 2})`);
  const values = chunks.flatMap((chunk, place) => [id + place, Buffer.from(chunk)]);
  yield* query(`INSERT INTO chunk VALUES ${places.join(', ')}`, values);
  return true;
}
