import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { weighPending } from './node-internals.js';

/** A request that waits until the previous one on its connection has been answered. */
interface PipelinedRequest {
  start(): void;
  /** Called if the connection closes first. */
  close(): void;
}

/** Bytes that a waiting request adds to the pending output, so that Node stops reading after a few of them (at 16 KiB). */
const requestWeight = 4096;
/** Maximum number of waiting requests per connection if Node does not count pending output. */
const maxWaiting = 1000;

/**
 * Begins each pipelined request (RFC 9112, 9.3.2) when the previous one is answered; Node would begin thousands at
 * once.
 */
export class PipelinedRequests {
  readonly #last = new WeakMap<Socket, { readonly reply: ServerResponse; readonly waiting: number }>();

  /** Queues a request whose `reply` has no socket yet; `previous` finds the response that is being sent on the connection. */
  add(
    message: IncomingMessage,
    reply: ServerResponse,
    request: PipelinedRequest,
    previous: () => ServerResponse | undefined,
  ): void {
    const { socket } = message;
    const before = this.#last.get(socket);
    const replyBefore = before?.reply ?? previous();
    const waiting = (before?.waiting ?? 0) + 1;
    this.#last.set(socket, { reply, waiting });
    reply.once('close', () => {
      if (this.#last.get(socket)?.reply === reply) this.#last.delete(socket);
    });
    const lost = (): void => request.close();
    message.once('close', lost);
    if (!weighPending(reply, requestWeight) && waiting > maxWaiting) socket.destroy();
    // The start is triggered while the previous request ends, and must not run in that request's asynchronous context.
    const start = AsyncResource.bind(() => request.start());
    const take = (): void => {
      weighPending(reply, -requestWeight);
      // The previous response failed while it was being sent. A response begun now would end that one again,
      // so this request ends when the connection closes.
      if (reply.socket === null || !reply.socket.writable) return;
      message.off('close', lost);
      setImmediate(start);
    };
    // Node assigns the socket to the next response before it closes the previous one.
    replyBefore?.once('close', take);
  }
}
