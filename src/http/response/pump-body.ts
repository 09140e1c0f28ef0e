import type { Writable } from 'node:stream';
import { createChunkSource } from './chunk-source.js';
import type { StreamedBody } from './response-body.js';
import { httpErrors } from '../failures/error-codes.js';

interface PumpOptions {
  /** The declared Content-Length in bytes, if any. */
  readonly declared?: number | undefined;
  /** Called with the number of bytes of each chunk before it is written. */
  readonly onBytes?: (count: number) => void;
}

const clientGone = Symbol('gone');

/**
 * Writes a streamed body with backpressure: the next chunk is pulled only when the client has read enough of the
 * previous ones. Resolves to true at the end of the stream, false if the client disconnects. Rejects with the errors of
 * the stream, and with `HTTP_LENGTH_MISMATCH` if its length is not `declared`; surplus bytes are not sent.
 */
export async function pumpBody(
  body: StreamedBody,
  sink: Writable,
  { declared, onBytes }: PumpOptions = {},
): Promise<boolean> {
  const source = createChunkSource(body);
  let total = 0;
  const waiting = new GoneGuard(sink);
  for (;;) {
    const chunk = await waiting.for(source.next());
    if (chunk === clientGone || sink.destroyed) {
      source.stop();
      return false;
    }
    if (chunk === undefined) break;
    const size = typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.byteLength;
    total += size;
    if (declared !== undefined && total > declared) {
      source.stop();
      throw mismatch(declared, total);
    }
    if (size === 0) continue; // an empty chunk would end a chunked body
    onBytes?.(size);
    if (!sink.write(chunk)) await waiting.for(drained(sink));
  }
  if (declared !== undefined && total < declared) throw mismatch(declared, total);
  return true;
}

/** Waits for one promise at a time, and stops waiting when the sink closes. */
class GoneGuard {
  #isGone = false;
  #resolvePending: ((gone: typeof clientGone) => void) | undefined;

  constructor(sink: Writable) {
    sink.once('close', () => {
      this.#isGone = true;
      this.#resolvePending?.(clientGone);
    });
  }

  // Not Promise.race with one long-lived promise: each chunk would add another reaction to that promise.
  for<Value>(promise: Promise<Value>): Promise<Value | typeof clientGone> {
    return new Promise((resolve, reject) => {
      this.#resolvePending = resolve;
      promise.then(resolve, reject);
      if (this.#isGone) resolve(clientGone);
    });
  }
}

function drained(sink: Writable): Promise<void> {
  return new Promise((resolve) => sink.once('drain', () => resolve()));
}

function mismatch(declared: number, given: number): Error {
  return httpErrors.create('HTTP_LENGTH_MISMATCH', { declared, given });
}
