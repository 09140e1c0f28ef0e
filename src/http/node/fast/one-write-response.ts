import { ServerResponse } from 'node:http';
import { canTakeHead, hasOwnMethods, takeHead } from './node-internals.js';

/** Every character of it is a byte of its own, in Latin-1 as in UTF-8. */
const ascii = /^[\0-\x7f]*$/;

/**
 * Node's response, except that one which is wholly at hand leaves as one text in one write. Node's own way takes it in
 * parts that it checks, corks and joins again, which for a small response costs as much as all that the kernel does.
 */
export class OneWriteResponse extends ServerResponse {
  /**
   * Sends a response on a connection that stays open, and ends it. `head` goes up to the first byte of `body`, whose
   * fields the caller has checked; `bytes` is the length of the body. False where that is not possible: then nothing
   * was done.
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

/** A response that is wholly at hand. */
export interface WholeAnswer {
  readonly head: string;
  readonly body: string;
  readonly bytes: number;
}
