/** Entry point of the writer thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { isCodedError } from '#core/coded-error';
import type { SpanKind } from '../../encoding/spans.js';
import { openStore } from '../tables/open-store.js';
import { loadConverter } from './load-converter.js';
import {
  isSentCall,
  ownMessage,
  type SentCall,
  type SentError,
  type ThreadReport,
  type WriterThreadData,
} from './thread-link.js';
import { Writer } from './writer.js';

const { address, retention } = workerData as WriterThreadData; // passed only by WriterThread
const kinds: SpanKind[] = []; // module state: span kinds registered by the process

const writer = new Writer({
  open: () => openStore(address, { retention }),
  retention,
  kinds,
  loadConverter,
  events: {
    wrote: (counts, tally, error) => report('wrote', [counts, tally], error),
    reserved: (...range) => report('reserved', range),
    failed: (error) => report('failed', [], error),
  },
});

parentPort?.on('message', (message: unknown) => {
  if (isSentCall(message)) void obey(message);
});

async function obey({ method, args, number, kinds: fresh, done }: SentCall): Promise<void> {
  kinds.push(...fresh);
  try {
    const result: unknown = await Reflect.apply(writer[method], writer, args);
    if (number > 0) report('answered', [number, result]);
  } catch (error) {
    if (number > 0) report('answered', [number, undefined], error);
  }
  if (method === 'close') parentPort?.unref(); // nothing else keeps the thread alive, so it ends
  if (done === undefined) return;
  Atomics.store(done, 0, 1);
  Atomics.notify(done, 0);
}

function report(event: ThreadReport['event'], args: readonly unknown[], error?: unknown): void {
  const sent = error === undefined ? undefined : toSent(error);
  parentPort?.postMessage({ sender: ownMessage, event, args, error: sent } satisfies ThreadReport);
}

function toSent(error: unknown): SentError {
  if (isCodedError(error)) return { code: error.code, message: error.message, fix: error.fix };
  return { code: null, message: error instanceof Error ? error.message : 'unknown' };
}
