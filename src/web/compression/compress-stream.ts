import { once } from 'node:events';
import type { ResponseBody } from '#http';
import { createChunkSource } from '#http';
import type { Compressor } from './codings.js';

type Streamed = Exclude<ResponseBody, string | Uint8Array | null>;
type Source = ReturnType<typeof createChunkSource>;

/** Milliseconds that something stays in the compressor, however fast the body goes on. */
const maxBufferedMs = 100;

/**
 * A streamed body compressed. Chunks are pulled at the pace at which the result is read, and whenever the body makes
 * its reader wait, all that it gave is sent: an event does not stay in the compressor.
 */
export function compressStream(
  body: Streamed,
  createCompressor: () => Compressor,
): AsyncIterable<Uint8Array> {
  const source = createChunkSource(body);
  const stop = { isAsked: false };
  const compressed = compressChunks(source, createCompressor, stop);
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => compressed.next(),
      return() {
        // A generator learns of its end only where it yields, and one that waits for a chunk does not.
        stop.isAsked = true;
        source.stop();
        return compressed.return(undefined);
      },
    }),
  };
}

async function* compressChunks(
  source: Source,
  createCompressor: () => Compressor,
  stop: { readonly isAsked: boolean },
): AsyncGenerator<Uint8Array, undefined> {
  const compressor = createCompressor();
  const out: Uint8Array[] = [];
  let flushed = performance.now();
  compressor.on('data', (bytes: Uint8Array) => out.push(bytes));
  try {
    while (!stop.isAsked) {
      const next = source.next();
      if (performance.now() - flushed > maxBufferedMs || !(await isReady(next))) {
        await new Promise<void>((resolve) => compressor.flush(resolve));
        flushed = performance.now();
        yield* out.splice(0);
      }
      const chunk = await next;
      if (chunk === undefined) break;
      await write(compressor, chunk);
      yield* out.splice(0);
    }
    compressor.end();
    await once(compressor, 'end');
    yield* out.splice(0);
  } finally {
    compressor.destroy();
    source.stop();
  }
  return undefined;
}

/** Whether a promise is settled within this turn of the event loop. */
function isReady(promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const turn = setImmediate(resolve, false);
    const settle = (): void => {
      clearImmediate(turn);
      resolve(true);
    };
    promise.then(settle, settle);
  });
}

function write(compressor: Compressor, chunk: Uint8Array | string): Promise<void> {
  return new Promise((resolve, reject) => {
    compressor.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}
