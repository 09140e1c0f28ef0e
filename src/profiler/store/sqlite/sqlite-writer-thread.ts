/** Entry point of the writer's thread: runs the calls that it receives in order, and answers each. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Segment } from '../../model/profile-store.js';
import { BlockIndexer } from '../sql/block-indexer.js';
import { ReopeningWriter, type ReopeningWriterOptions } from './reopening-writer.js';
import { blocksOfSqlite } from './sqlite-blocks.js';
import type { ThreadAnswer, ThreadCall } from '../thread/thread-caller.js';
import { toSqliteError } from './sqlite-failure.js';
import type { WriterMethods } from './writer-thread.js';
import { leaveGate, runInGate, type WriterGate } from './writer-gate.js';

const { options, gate } = workerData as { options: ReopeningWriterOptions; gate: WriterGate }; // passed only by WriterThread
/** Milliseconds to spend on building blocks when a prune is requested. */
const pruneIndexingMs = 1000;
const writer = new ReopeningWriter(options);
const withBlocks = blocksOfSqlite(() => writer.database);
const indexer = new BlockIndexer(async (step) => (await runInGate(gate, () => withBlocks(step))) === true);

parentPort?.on('message', (call: ThreadCall) => {
  const { method, args } = call;
  void runInGate(gate, () => {
    parentPort?.postMessage(answer(call));
    if (method === 'end') parentPort?.unref(); // nothing else keeps the thread alive, so it ends
  });
  if (method === 'write') indexer.add(args[0] as readonly Segment[]); // the argument of `write`
  if (method === 'prune') void indexer.run(pruneIndexingMs);
});
leaveGate(gate); // the module is loaded

function answer({ id, method, args }: ThreadCall): ThreadAnswer {
  try {
    const result: unknown = Reflect.apply(writer[method as keyof WriterMethods], writer, args); // sent only by WriterThread
    const events = writer.drainEvents();
    // Sent before the answer, whose counts refer to the file that is open now.
    if (events.opened) parentPort?.postMessage({ id: 0, result: events } satisfies ThreadAnswer);
    return { id, result };
  } catch (error) {
    const { code, message, fix } = toSqliteError(error, options.file.path);
    return { id, error: { code, message, fix } };
  }
}
