import type { Writable } from 'node:stream';
import { createChunkSource } from './chunk-source.js';
import type { StreamedBody } from './response-body.js';
import { httpErrors } from '../failures/error-codes.js';

interface PumpOptions {
  /** Bytes that the header promised; undefined where it promised nothing. */
  readonly declared?: number | undefined;
  /** Called with each chunk's bytes as it is handed over. */
  readonly onBytes?: (count: number) => void;
}

const clientGone = Symbol('gone');

/**
 * Writes a streamed body with back-pressure: the next chunk is pulled only when the client has taken enough of the
 * last ones. Gives true at the end of the stream, false when the client is gone. Throws what the stream throws, and
 * `HTTP_LENGTH_MISMATCH` before more bytes are sent than were promised, or when fewer came.
 */
export async function pumpBody(
  body: StreamedBody,
  sink: Writable,
  { declared, onBytes }: PumpOptions = {},
): Promise<boolean> {
  const source = createChunkSource(body);
  let given = 0;
  const waiting = new GoneGuard(sink);
  for (;;) {
    const chunk = await waiting.for(source.next());
    if (chunk === clientGone || sink.destroyed) {
      source.stop();
      return false;
    }
    if (chunk === undefined) break;
    const size = typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.byteLength;
    given += size;
    if (declared !== undefined && given > declared) {
      source.stop();
      throw mismatch(declared, given);
    }
    if (size === 0) continue; // an empty chunk would end a chunked body
    onBytes?.(size);
    if (!sink.write(chunk)) await waiting.for(drained(sink));
  }
  if (declared !== undefined && given < declared) throw mismatch(declared, given);
  return true;
}

/** Waits for promises one after the other, each only for as long as the sink is open. */
class GoneGuard {
  #isGone = false;
  #leave: ((gone: typeof clientGone) => void) | undefined;

  constructor(sink: Writable) {
    sink.once('close', () => {
      this.#isGone = true;
      this.#leave?.(clientGone);
    });
  }

  // Not Promise.race: that would hang one more reaction on a lasting promise for every chunk.
  for<Value>(promise: Promise<Value>): Promise<Value | typeof clientGone> {
    return new Promise((resolve, reject) => {
      this.#leave = resolve;
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
