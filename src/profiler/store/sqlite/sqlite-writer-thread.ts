/** The thread that writes: it does what it is ordered, one order after the other, and answers each. */
import { parentPort, workerData } from 'node:worker_threads';
import { toStoreError } from './sqlite-failure.js';
import { type ReopeningWriterOptions, ReopeningWriter } from './reopening-writer.js';
import { SqliteIndexer } from './sqlite-indexer.js';
import { takeTurn, type WriterTurn } from './writer-turn.js';
import type { WriterOrder, WriterReply, WriterRequest } from './writer-message.js';

const { options, turn } = workerData as { options: ReopeningWriterOptions; turn: WriterTurn }; // given by WriterThread alone
/** Milliseconds after which nothing seems to come, and that are spent when somebody prunes. */
const idleMs = 200;
const prunedTidyMs = 1000;
/** Behind what was done while records come, so many times as long nothing of it is done. */
const restShare = 50;
/** When the thread, which serves one file, may do more of it, and the timer that does the rest. */
let restUntil = 0;
/** Set anew by each order. */
let idle: NodeJS.Timeout | undefined;
const writer = new ReopeningWriter(options);
const indexer = new SqliteIndexer();

parentPort?.on('message', ({ id, order }: WriterRequest) => {
  takeTurn(turn, () => {
    parentPort?.postMessage({ id, ...answer(order), news: writer.drainEvents() } satisfies WriterReply);
    clearTimeout(idle);
    if (order.kind === 'write') indexer.add(order.segments);
    if (order.kind === 'prune') tidy(prunedTidyMs);
    else if (order.kind === 'write') tidy(0);
    if (order.kind === 'close') parentPort?.unref(); // nothing else keeps the thread, which ends then
  });
});

takeTurn(turn, () => {}); // it is loaded

/** Does what is due: little while records come, and the rest when none do, or somebody prunes. */
function tidy(milliseconds: number): void {
  const start = performance.now();
  const isResting = start < restUntil && milliseconds === 0;
  if (!isResting && !indexer.run(writer.database, milliseconds)) return;
  if (!isResting) restUntil = performance.now() + restShare * (performance.now() - start);
  idle = setTimeout(() => takeTurn(turn, () => tidy(1)), idleMs);
  idle.unref();
}

function answer(order: WriterOrder): Omit<WriterReply, 'id' | 'news'> {
  try {
    switch (order.kind) {
      case 'write':
        return { tally: writer.write(order.segments, order.counts) };
      case 'prune':
        return { tally: writer.prune(order.bucket) };
      case 'lease':
        return { lease: writer.lease(order.amount) };
      case 'note':
        writer.putNote(order.note);
        return {};
      case 'tally':
        return { tally: writer.tally() };
      case 'close':
        writer.end();
        return {};
    }
  } catch (error) {
    const { code, message, fix } = toStoreError(error, options.file.path);
    return { error: { code, message, fix } };
  }
}
