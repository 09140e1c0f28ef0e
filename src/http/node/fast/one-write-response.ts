import { ServerResponse } from 'node:http';
import type { LazyIncomingMessage } from './lazy-incoming-message.js';

/** Every character of it is a byte of its own, in Latin-1 as in UTF-8. */
const ASCII = /^[\0-\x7f]*$/;

/**
 * Node's reply, but that an answer which is wholly at hand leaves as one text in one write. Node's own way takes it in
 * parts that it checks, corks and joins again, which for a small answer costs as much as all that the kernel does.
 */
export class OneWriteResponse extends ServerResponse<LazyIncomingMessage> {
  // Node's own account of a reply's head, which its types do not know. Without it everything goes Node's way.
  declare protected _header: string | null | undefined;
  declare protected _headerSent: boolean | undefined;

  /**
   * Sends an answer on a connection that stays open, and ends it. `head` goes up to the first byte of `body`, whose
   * fields the caller has checked; `bytes` is the length of the body. False where that is not possible: then nothing
   * was done.
   */
  sendWhole(status: number, reason: string, { head, body, bytes }: WholeAnswer): boolean {
    const { socket } = this;
    if (socket === null || !socket.writable || !this.#isUntouched()) return false;
    const isPlain = bytes === body.length;
    if (!isPlain && !ASCII.test(head)) return false;
    this.statusCode = status;
    this.statusMessage = reason;
    this._header = head;
    this._headerSent = true;
    socket.write(head + body, isPlain ? 'latin1' : 'utf8');
    this.end();
    return true;
  }

  /** Whether nothing was sent or prepared, and nobody has put a method of their own into the place of Node's. */
  #isUntouched(): boolean {
    return (
      this._header === null &&
      this._headerSent === false &&
      this.writeHead === writeHead &&
      this.end === end &&
      this.getHeaderNames().length === 0
    );
  }
}

/** An answer that is wholly at hand. */
export interface WholeAnswer {
  readonly head: string;
  readonly body: string;
  readonly bytes: number;
}

const writeHead = nodesOwn('writeHead');
const end = nodesOwn('end');

/** Node's own method; undefined where a program that watches replies had put its own in that place before we came. */
function nodesOwn(name: 'writeHead' | 'end'): unknown {
  const method: unknown = Reflect.get(ServerResponse.prototype, name);
  if (typeof method !== 'function') return undefined;
  return Function.prototype.toString.call(method).startsWith(`function ${name}(`) ? method : undefined;
}
