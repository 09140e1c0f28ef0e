/** The thread that writes: it makes the calls that it is sent, one after the other, and answers each. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Segment } from '../../model/profile-store.js';
import { BlockIndexer } from '../sql/block-indexer.js';
import { ReopeningWriter, type ReopeningWriterOptions } from './reopening-writer.js';
import { blocksOfSqlite } from './sqlite-blocks.js';
import { toStoreError } from './sqlite-failure.js';
import type { WriterAnswer, WriterCall } from './writer-thread.js';
import { takeLongTurn, takeTurn, type WriterTurn } from './writer-turn.js';

const { options, turn } = workerData as { options: ReopeningWriterOptions; turn: WriterTurn }; // given by WriterThread alone
/** Milliseconds that blocks are made for when someone prunes. */
const prunedTidyMs = 1000;
const writer = new ReopeningWriter(options);
const withBlocks = blocksOfSqlite(() => writer.database);
const indexer = new BlockIndexer(async (step) => (await takeLongTurn(turn, () => withBlocks(step))) === true);

parentPort?.on('message', (call: WriterCall & { readonly id: number }) => {
  const { id, method, args } = call;
  takeTurn(turn, () => {
    parentPort?.postMessage({ id, ...answer(call) } satisfies WriterAnswer);
    if (method === 'end') parentPort?.unref(); // nothing else keeps the thread, which ends then
  });
  if (method === 'write') indexer.add(args[0] as readonly Segment[]); // its own argument
  if (method === 'prune') void indexer.run(prunedTidyMs);
});
takeTurn(turn, () => {}); // it is loaded

function answer({ method, args }: WriterCall): Omit<WriterAnswer, 'id'> {
  try {
    return { result: Reflect.apply(writer[method], writer, args), events: writer.drainEvents() };
  } catch (error) {
    const { code, message, fix } = toStoreError(error, options.file.path);
    return { error: { code, message, fix } };
  }
}
