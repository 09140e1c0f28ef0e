/** The thread that writes: it does what it is ordered, one order after the other, and answers each. */
import { parentPort, workerData } from 'node:worker_threads';
import { toStoreError } from './sqlite-failure.js';
import { type ReopeningWriterOptions, ReopeningWriter } from './reopening-writer.js';
import { BlockIndexer } from '../sql/block-indexer.js';
import { blocksOfSqlite } from './sqlite-blocks.js';
import { takeLongTurn, takeTurn, type WriterTurn } from './writer-turn.js';
import type { WriterOrder, WriterReply, WriterRequest } from './writer-message.js';

const { options, turn } = workerData as { options: ReopeningWriterOptions; turn: WriterTurn }; // given by WriterThread alone
/** Milliseconds that blocks are made for when someone prunes. */
const prunedTidyMs = 1000;
const writer = new ReopeningWriter(options);
const withBlocks = blocksOfSqlite(() => writer.database);
const indexer = new BlockIndexer(async (step) => (await takeLongTurn(turn, () => withBlocks(step))) === true);

parentPort?.on('message', ({ id, order }: WriterRequest) => {
  takeTurn(turn, () => {
    parentPort?.postMessage({ id, ...answer(order), news: writer.drainEvents() } satisfies WriterReply);
    if (order.kind === 'close') parentPort?.unref(); // nothing else keeps the thread, which ends then
  });
  if (order.kind === 'write') indexer.add(order.segments);
  if (order.kind === 'prune') void indexer.run(prunedTidyMs);
});

takeTurn(turn, () => {}); // it is loaded

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
