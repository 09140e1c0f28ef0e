import type { IncomingMessage, ServerResponse } from 'node:http';
import { Turns } from './turns.js';

/** A request that waits for its turn. */
export interface InLine {
  /** It is there and not begun. */
  wait(): void;
  start(): void;
  /** The connection is gone. */
  close(): void;
}

/** What a request in line counts among the bytes that wait to be sent, at 16 KiB of which Node reads no more requests. */
const WEIGHT = 4096;
/** Requests in line that are begun before everybody else gets a turn. */
const IN_A_ROW = 16;

/**
 * Requests that are sent ahead of their answers (RFC 9112, section 9.3.2). Each is begun when the one before it has
 * been answered: what a client does not read is not made for it. Node begins all that one packet holds, thousands.
 */
export class Pipelines {
  readonly #turns = new Turns(IN_A_ROW);

  /** For a reply that has no socket yet, as another one has it. */
  add(message: IncomingMessage, reply: ServerResponse, inLine: InLine): void {
    const lost = (): void => inLine.close();
    inLine.wait();
    message.once('close', lost);
    weigh(reply, WEIGHT);
    const assignSocket = reply.assignSocket.bind(reply);
    // Node tells nobody else whose turn it is.
    reply.assignSocket = (given): void => {
      assignSocket(given);
      weigh(reply, -WEIGHT);
      // The answer before this one has failed on its way out, and Node is still telling its writes so: an answer begun
      // now would end that one a second time, which ends the process. The request is over when the connection closes.
      if (!given.writable) return;
      message.off('close', lost);
      this.#turns.take(() => inLine.start());
    };
  }
}

/** Node's own account, which its types do not know. Without it a connection may have more than a packet of requests in line. */
function weigh(reply: ServerResponse, bytes: number): void {
  const account: unknown = Reflect.get(reply, '_onPendingData');
  if (typeof account === 'function') account.call(reply, bytes);
}
