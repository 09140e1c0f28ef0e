import type { Readable } from 'node:stream';
import { badRequest } from '../bad-request.js';
import { httpErrors } from '../error-codes.js';
import type { RequestBodySource } from '../request-source.js';

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
    this.#wake?.();
  }

  async *chunks(): AsyncGenerator<Uint8Array, void> {
    const message = this.#message;
    this.#begin?.();
    const wake = (): void => this.#wake?.();
    for (const event of WAKING) message.on(event, wake);
    try {
      while (!message.readableEnded) {
        const chunk: unknown = this.#failure === undefined ? message.read() : null;
        if (chunk instanceof Uint8Array) yield chunk;
        else if (this.#failure !== undefined) throw this.#failure;
        else if (message.readableEnded) return;
        else if (message.destroyed) throw badRequest(httpErrors.create('HTTP_BODY_ABORTED', {}));
        else await this.#awake();
      }
    } finally {
      for (const event of WAKING) message.off(event, wake);
    }
  }

  #awake(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

const WAKING = ['readable', 'end', 'error', 'close', 'aborted'] as const;
