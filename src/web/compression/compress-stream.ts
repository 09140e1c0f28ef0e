import { once } from 'node:events';
import type { ResponseBody } from '#http';
import type { Compressor } from './codings.js';

type Streamed = Exclude<ResponseBody, string | Uint8Array | null>;

/**
 * A streamed body compressed. Chunks are asked for at the pace at which the result is read, and whenever the body makes
 * its reader wait, all that it gave is sent: an event does not stay in the compressor.
 */
export async function* compressStream(
  body: Streamed,
  createCompressor: () => Compressor,
): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array | string> = body[Symbol.asyncIterator]();
  const compressor = createCompressor();
  const out: Uint8Array[] = [];
  compressor.on('data', (bytes: Uint8Array) => out.push(bytes));
  let isEnded = false;
  try {
    for (;;) {
      const next = chunks.next();
      if (!(await isReady(next))) {
        await new Promise<void>((resolve) => compressor.flush(resolve));
        yield* out.splice(0);
      }
      const { done, value } = await next;
      if (done === true) break;
      await write(compressor, value);
      yield* out.splice(0);
    }
    isEnded = true;
    compressor.end();
    await once(compressor, 'end');
    yield* out.splice(0);
  } finally {
    compressor.destroy();
    if (!isEnded) await chunks.return?.();
  }
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
