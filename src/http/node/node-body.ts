import type { Readable } from 'node:stream';
import { badRequest } from '../failures/bad-request.js';
import { httpErrors } from '../failures/error-codes.js';
import type { RequestBodySource } from '../source/request-source.js';

/** An incoming message of HTTP/1.1 or HTTP/2, as far as its body goes. */
export interface IncomingBody extends Readable {
  /** True once the whole message has arrived. */
  readonly complete: boolean;
}

/** The body of a message on a socket. It can fail without the socket being lost, so that the failure can be answered. */
export class NodeBody implements RequestBodySource {
  readonly #message: IncomingBody;
  readonly #begin: (() => void) | undefined;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  /** `begin` is called before the first read: where the client waits for `100 Continue`. */
  constructor(message: IncomingBody, begin?: () => void) {
    this.#message = message;
    this.#begin = begin;
  }

  /** Lets the reader, now or later, fail with this error. */
  fail(failure: Error): void {
    this.#failure ??= failure;
    this.#rouse();
  }

  async *chunks(): AsyncGenerator<Uint8Array, void> {
    const message = this.#message;
    this.#begin?.();
    const wake = (): void => this.#rouse();
    for (const event of wakingEvents) message.on(event, wake);
    let rounds = 0;
    try {
      while (!message.readableEnded) {
        const chunk: unknown = this.#failure === undefined ? message.read() : null;
        if (chunk instanceof Uint8Array) yield chunk;
        else if (this.#failure !== undefined) throw this.#failure;
        else if (message.readableEnded) return;
        else if (message.destroyed) throw badRequest(httpErrors.create('HTTP_BODY_ABORTED', {}));
        else await this.#awake();
        if (++rounds % maxReadsInARow === 0) await new Promise(setImmediate);
      }
    } finally {
      for (const event of wakingEvents) message.off(event, wake);
    }
  }

  #rouse(): void {
    const wake = this.#wake;
    this.#wake = undefined; // a promise that is resolved once more costs Node a look at its hooks
    wake?.();
  }

  #awake(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** Chunks until others get their turn. One packet can hold ten thousand of a byte each; what waits is joined by then. */
const maxReadsInARow = 64;
const wakingEvents = ['readable', 'end', 'error', 'close', 'aborted'] as const;
