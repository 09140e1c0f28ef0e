import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { weighPending } from './node-internals.js';

/** A request that waits until the one before it on its connection was answered. */
export interface PipelinedRequest {
  /** It was read, and is not begun. */
  wait(): void;
  start(): void;
  /** The connection is gone. */
  close(): void;
}

/** What a waiting request counts among the bytes that wait to be sent, at 16 KiB of which Node reads no more requests. */
const requestWeight = 4096;
/** Requests of a connection that may wait where Node does not count them. */
const maxWaiting = 1000;

/**
 * Requests that were sent ahead of the responses before them (RFC 9112, section 9.3.2). Each is begun when the one before
 * it was answered: what a client does not read is not made for it. Node begins all that one packet holds, thousands.
 */
export class PipelinedRequests {
  readonly #last = new WeakMap<Socket, { readonly reply: ServerResponse; readonly waiting: number }>();

  /** Takes a request whose `reply` has no socket yet; `previous` finds the response that the connection is busy with. */
  add(
    message: IncomingMessage,
    reply: ServerResponse,
    {
      request,
      previous,
    }: { readonly request: PipelinedRequest; readonly previous: () => ServerResponse | undefined },
  ): void {
    const { socket } = message;
    const before = this.#last.get(socket);
    const replyBefore = before?.reply ?? previous();
    const waiting = (before?.waiting ?? 0) + 1;
    this.#last.set(socket, { reply, waiting });
    reply.once('close', () => {
      if (this.#last.get(socket)?.reply === reply) this.#last.delete(socket);
    });
    request.wait();
    const lost = (): void => request.close();
    message.once('close', lost);
    if (!weighPending(reply, requestWeight) && waiting > maxWaiting) socket.destroy();
    // It is its turn while the request before it ends, in whose asynchronous context it must not run.
    const start = AsyncResource.bind(() => request.start());
    const take = (): void => {
      weighPending(reply, -requestWeight);
      // The response before this one has failed on its way out: a response begun now would end that one a second time.
      // The request is over when the connection closes.
      if (reply.socket === null || !reply.socket.writable) return;
      message.off('close', lost);
      setImmediate(start);
    };
    // Node gives the next response its socket before it closes the one before.
    replyBefore?.once('close', take);
  }
}
