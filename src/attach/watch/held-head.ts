import type { Http2ServerResponse } from 'node:http2';
import { type Method, replaceMethod } from '#patches';

/**
 * The head of an HTTP/2 response that `writeHead` was to send, which Node would do at once: before lookback's fields can be
 * added to those of the call, and before the page is known that may get the toolbar.
 */
export class HeldHead {
  readonly #outgoing: Http2ServerResponse;
  readonly #writeHead: Method;
  readonly #status: number;
  #isHeld = true;

  /** Makes the response take status and fields, which Node checks, without sending them. */
  constructor(outgoing: Http2ServerResponse, writeHead: Method, args: unknown[]) {
    const undo = replaceMethod(outgoing.stream, 'respond', () => undefined);
    try {
      Reflect.apply(writeHead, outgoing, args);
    } finally {
      undo?.();
    }
    this.#outgoing = outgoing;
    this.#writeHead = writeHead;
    this.#status = outgoing.statusCode;
  }

  /** Reports the head as sent, and sends it in the next tick, unless `send` is called before. */
  keep(): this {
    Object.defineProperty(this.#outgoing, 'headersSent', { value: true, configurable: true });
    process.nextTick(() => this.send());
    return this;
  }

  /** Calls `change`, while the head can still be changed, and sends the head. Does nothing the second time. */
  send<Result>(change?: () => Result): Result | undefined {
    if (!this.#isHeld) return undefined;
    this.#isHeld = false;
    const outgoing = this.#outgoing;
    Reflect.deleteProperty(outgoing, 'headersSent');
    const result = change?.();
    const { statusCode } = outgoing;
    outgoing.statusCode = this.#status;
    if (!outgoing.stream.destroyed) Reflect.apply(this.#writeHead, outgoing, [this.#status]);
    outgoing.statusCode = statusCode; // keeps an assignment that was made since then, which has no effect on the head
    return result;
  }
}
