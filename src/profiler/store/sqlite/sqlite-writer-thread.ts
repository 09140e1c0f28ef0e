/** The thread that writes: it makes the calls that it is sent, one after the other, and answers each. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Segment } from '../../model/profile-store.js';
import { BlockIndexer } from '../sql/block-indexer.js';
import { ReopeningWriter, type ReopeningWriterOptions } from './reopening-writer.js';
import { blocksOfSqlite } from './sqlite-blocks.js';
import type { ThreadAnswer, ThreadCall } from '../thread/thread-caller.js';
import { toSqliteError } from './sqlite-failure.js';
import type { WriterMethods } from './writer-thread.js';
import { leaveTurn, takeTurn, type WriterTurn } from './writer-turn.js';

const { options, turn } = workerData as { options: ReopeningWriterOptions; turn: WriterTurn }; // given by WriterThread alone
/** Milliseconds that blocks are made for when someone prunes. */
const prunedTidyMs = 1000;
const writer = new ReopeningWriter(options);
const withBlocks = blocksOfSqlite(() => writer.database);
const indexer = new BlockIndexer(async (step) => (await takeTurn(turn, () => withBlocks(step))) === true);

parentPort?.on('message', (call: ThreadCall) => {
  const { method, args } = call;
  void takeTurn(turn, () => {
    parentPort?.postMessage(answer(call));
    if (method === 'end') parentPort?.unref(); // nothing else keeps the thread, which ends then
  });
  if (method === 'write') indexer.add(args[0] as readonly Segment[]); // its own argument
  if (method === 'prune') void indexer.run(prunedTidyMs);
});
leaveTurn(turn); // it is loaded

function answer({ id, method, args }: ThreadCall): ThreadAnswer {
  try {
    const result: unknown = Reflect.apply(writer[method as keyof WriterMethods], writer, args); // by WriterThread
    const events = writer.drainEvents();
    // In front of the answer: what it says is counted for the file that is open now.
    if (events.opened) parentPort?.postMessage({ id: 0, result: events } satisfies ThreadAnswer);
    return { id, result };
  } catch (error) {
    const { code, message, fix } = toSqliteError(error, options.file.path);
    return { id, error: { code, message, fix } };
  }
}
