import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request that waits until the one before it on its connection was answered. */
export interface PipelinedRequest {
  /** It was read, and is not begun. */
  wait(): void;
  start(): void;
  /** The connection is gone. */
  close(): void;
}

/** What a waiting request counts among the bytes that wait to be sent, at 16 KiB of which Node reads no more requests. */
const WEIGHT = 4096;

/**
 * Takes a request that was sent ahead of the answers before it (RFC 9112, section 9.3.2); `reply` has no socket yet. It is
 * begun when the one before it was answered: what a client does not read is not made for it. Node begins all that one
 * packet holds, thousands.
 */
export function addPipelined(
  message: IncomingMessage,
  reply: ServerResponse,
  request: PipelinedRequest,
): void {
  const lost = (): void => request.close();
  request.wait();
  message.once('close', lost);
  weigh(reply, WEIGHT);
  // It is its turn while the request before it ends, in whose asynchronous context it must not run.
  const start = AsyncResource.bind(() => request.start());
  const assignSocket = reply.assignSocket.bind(reply);
  // Node tells nobody else whose turn it is.
  reply.assignSocket = (given): void => {
    assignSocket(given);
    weigh(reply, -WEIGHT);
    // The answer before this one has failed on its way out, and Node is still telling its writes so: an answer begun
    // now would end that one a second time, which ends the process. The request is over when the connection closes.
    if (!given.writable) return;
    message.off('close', lost);
    setImmediate(start);
  };
}

/** Node's own account, which its types do not know. Without it a connection may have more than a packet of requests waiting. */
function weigh(reply: ServerResponse, bytes: number): void {
  const account: unknown = Reflect.get(reply, '_onPendingData');
  if (typeof account === 'function') account.call(reply, bytes);
}
