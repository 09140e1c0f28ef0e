import type { BlockChange } from './block-indexer.js';
import { ask, type SqlProgram } from './sql-program.js';

/** Chunks that a block may have: its number times this is that of its first. */
export const maxChunks = 1024;

/** Puts a block in the place of others, unless another process was faster. `newId`: what gives a block its number. */
export function* replaceBlocks(
  { bucket, after, block, gone }: BlockChange,
  newId: string,
): SqlProgram<boolean> {
  const [newest] = yield* ask('SELECT max(last) AS last FROM block WHERE bucket = $1', [bucket]);
  if (Number(newest?.['last'] ?? 0) !== after) return false;
  for (const { id } of gone) {
    yield* ask('DELETE FROM block WHERE id = $1', [id]);
    yield* ask('DELETE FROM chunk WHERE id >= $1 AND id < $2', [id * maxChunks, (id + 1) * maxChunks]);
  }
  if (block === undefined) return true;
  const { first, last, head, chunks } = block;
  const [row] = yield* ask(
    `INSERT INTO block (id, bucket, first, last, rows, head) VALUES (${newId}, $1, $2, $3, $4, $5) RETURNING id`,
    [bucket, first, last, head.rows, JSON.stringify(head)],
  );
  const id = Number(row?.['id']) * maxChunks;
  const places = chunks.map((_, place) => `($${2 * place + 1}, $${2 * place + 2})`);
  const values = chunks.flatMap((chunk, place) => [id + place, Buffer.from(chunk)]);
  yield* ask(`INSERT INTO chunk VALUES ${places.join(', ')}`, values);
  return true;
}
