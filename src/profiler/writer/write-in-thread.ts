/** Entry point of the thread of a writer. */
import { parentPort, workerData } from 'node:worker_threads';
import { isCodedError } from '#coded-error';
import type { SpanKind } from '../record/spans.js';
import { openStore } from '../tables/open-store.js';
import type { SentError, WriterMessage, WriterReport, WriterThreadData } from './messages.js';
import { createWriterSource } from './writer-options.js';
import { Writer } from './writer.js';

const { address, retention } = workerData as WriterThreadData; // passed only by WriterThread
const kinds: SpanKind[] = []; // module state: the kinds of spans that the process has registered

const writer = new Writer({
  open: () => openStore(address, { retention }),
  retention,
  events: {
    wrote: (counts, tally, error) =>
      report({ kind: 'wrote', counts, tally, error: error === undefined ? undefined : toSent(error) }),
    reserved: (from, to) => report({ kind: 'reserved', from, to }),
    finished: (source, records) => report({ kind: 'finished', source, records }),
    failed,
  },
});

parentPort?.on('message', (message: WriterMessage) => {
  switch (message.kind) {
    case 'source':
      return void writer.sources.set(message.source, createWriterSource(message.settings, kinds, failed));
    case 'batch':
      kinds.push(...message.kinds);
      return writer.add(message.batch, message.source);
    case 'late':
      return writer.addLate(message.id, message.late);
    case 'reserve':
      return writer.reserve(message.amount);
    case 'question':
      kinds.push(...message.kinds);
      return void answer(message);
    case 'save':
      return void save(message);
  }
});

async function answer({ number, method, args }: WriterMessage & { kind: 'question' }): Promise<void> {
  try {
    const result: unknown = await Reflect.apply(writer[method], writer, args);
    report({ kind: 'answer', number, result });
  } catch (error) {
    report({ kind: 'answer', number, error: toSent(error) });
  }
  if (method === 'close') parentPort?.unref(); // nothing else keeps the thread alive, so it ends
}

async function save({ isLast, done }: WriterMessage & { kind: 'save' }): Promise<void> {
  await (isLast ? writer.close() : writer.flush()).catch(() => undefined);
  Atomics.store(done, 0, 1);
  Atomics.notify(done, 0);
}

function failed(error: unknown): void {
  report({ kind: 'failed', error: toSent(error) });
}

function report(message: WriterReport): void {
  parentPort?.postMessage(message);
}

function toSent(error: unknown): SentError {
  if (isCodedError(error)) return { code: error.code, message: error.message, fix: error.fix };
  return { code: null, message: error instanceof Error ? error.message : 'unknown' };
}
