import { ServerResponse } from 'node:http';
import { canTakeHead, hasOwnMethods, takeHead } from './node-internals.js';

/** Text whose bytes are the same in Latin-1 and UTF-8. */
const ascii = /^[\0-\x7f]*$/;

/**
 * Node's response, except that a complete response is sent as one text in one write. Node would take it in parts, which
 * it checks, corks and joins again; for a small response that costs as much as everything that the kernel does.
 */
export class OneWriteResponse extends ServerResponse {
  /**
   * Sends and ends a response on a connection that stays open. `head` is everything before the body, with fields that
   * the caller has validated; `bytes` is the length of the body. Returns false, and does nothing, if that is not possible.
   */
  sendWhole(status: number, reason: string, { head, body, bytes }: WholeAnswer): boolean {
    const { socket } = this;
    if (!canTakeHead || socket === null || !socket.writable || !hasOwnMethods(this)) return false;
    const isPlain = bytes === body.length;
    if (!isPlain && !ascii.test(head)) return false;
    if (!takeHead(this, head)) return false;
    this.statusCode = status;
    this.statusMessage = reason;
    socket.write(head + body, isPlain ? 'latin1' : 'utf8');
    this.end();
    return true;
  }
}

/** A response whose head and body are both in memory. */
export interface WholeAnswer {
  readonly head: string;
  readonly body: string;
  readonly bytes: number;
}
