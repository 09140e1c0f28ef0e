import { IncomingMessage, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { Duplex, Readable } from 'node:stream';

/*
 * All undocumented Node features that the framework relies on. For each, the table in decision 211 lists its purpose,
 * how its absence is detected, and what happens then.
 */

/** The private fields in which Node tracks a response's head. */
interface HeadAccount {
  _header?: string | null;
  _headerSent?: boolean;
}

/** Marks the head as sent. Returns false, and changes nothing, if a head was prepared or sent, or Node lacks these fields. */
function takeHead(reply: ServerResponse, head: string): boolean {
  const account = reply as HeadAccount; // private fields are not in Node's types
  if (account._header !== null || account._headerSent !== false) return false;
  if (reply.getHeaderNames().length > 0) return false;
  account._header = head;
  account._headerSent = true;
  return true;
}

const writeHead = ownMethod('writeHead');
const end = ownMethod('end');

/** Returns Node's own method; undefined if instrumentation has replaced it before this module was loaded. */
function ownMethod(name: 'writeHead' | 'end'): unknown {
  const method: unknown = Reflect.get(ServerResponse.prototype, name);
  if (typeof method !== 'function') return undefined;
  return Function.prototype.toString.call(method).startsWith(`function ${name}(`) ? method : undefined;
}

/** Whether Node's methods have not been replaced. */
function hasOwnMethods(reply: ServerResponse): boolean {
  return reply.writeHead === writeHead && reply.end === end;
}

/** Whether a response writes nothing more when it ends after `takeHead`. */
export const canTakeHead: boolean = writesNothingMore();

function writesNothingMore(): boolean {
  if (writeHead === undefined || end === undefined) return false;
  let written = '';
  const sink = new Duplex({
    read: () => undefined,
    write(chunk: Uint8Array, _encoding, done) {
      written += Buffer.from(chunk).toString();
      done();
    },
  });
  try {
    const socket = sink as Socket; // a response needs no more of a socket than a duplex stream provides
    const reply = new ServerResponse(new IncomingMessage(socket));
    reply.assignSocket(socket);
    if (!takeHead(reply, 'HTTP/1.1 200 OK\r\n\r\n')) return false;
    reply.end();
    return written === '' && reply.writableEnded && reply.headersSent;
  } catch {
    return false;
  }
}

const headers = Object.getOwnPropertyDescriptor(IncomingMessage.prototype, 'headers');
const readableEnded = Object.getOwnPropertyDescriptor(Readable.prototype, 'readableEnded');
const dump: unknown = Reflect.get(IncomingMessage.prototype, '_dump');
const addHeaderLines: unknown = Reflect.get(IncomingMessage.prototype, '_addHeaderLines');

/** Node's original message methods, for a class that overrides them. */
export const nodeMessage = {
  headers: (message: IncomingMessage): unknown => headers?.get?.call(message),
  hasEnded: (message: IncomingMessage): boolean => readableEnded?.get?.call(message) === true,
  dump(message: IncomingMessage): void {
    if (typeof dump === 'function') dump.call(message);
  },
};

/** Returns `Lazy` if Node's messages work as it expects, otherwise Node's own class. */
export function messageClass(Lazy: typeof IncomingMessage): typeof IncomingMessage {
  if (headers?.get === undefined || readableEnded?.get === undefined) return IncomingMessage;
  if (typeof dump !== 'function' || typeof addHeaderLines !== 'function') return IncomingMessage;
  try {
    const [own, lazy] = [IncomingMessage, Lazy].map((Message) => {
      const message = new Message(new Readable() as Socket); // a message reads only its socket's buffer size
      addHeaderLines.call(message, ['Host', 'h', 'Expect', 'x'], 4);
      return message;
    });
    const isAlike =
      own !== undefined &&
      !Object.hasOwn(own, 'headers') &&
      JSON.stringify(own.headers) === '{"host":"h","expect":"x"}' &&
      JSON.stringify(own.headers) === JSON.stringify(lazy?.headers);
    return isAlike ? Lazy : IncomingMessage;
  } catch {
    return IncomingMessage;
  }
}

/** Adds to the pending output that Node counts per connection; at 16 KiB it stops reading. Returns false if Node has no such counter. */
export function weighPending(reply: ServerResponse, bytes: number): boolean {
  const account: unknown = Reflect.get(reply, '_onPendingData');
  if (typeof account !== 'function') return false;
  account.call(reply, bytes);
  return true;
}

/** Returns the connections without a partly received request; undefined if Node's list is not found. */
export function findIdle(server: NetServer): ReadonlySet<unknown> | undefined {
  const key = Object.getOwnPropertySymbols(server).find(
    ({ description }) => description === 'http.server.connections',
  );
  const list: unknown = key === undefined ? undefined : Reflect.get(server, key);
  if (typeof list !== 'object' || list === null || !('idle' in list) || typeof list.idle !== 'function')
    return undefined;
  const parsers: unknown = list.idle();
  if (!Array.isArray(parsers)) return undefined;
  return new Set(parsers.map((parser: { readonly socket?: unknown }) => parser.socket));
}

/** Stops accepting connections. Node's `close` for HTTP servers would cut responses that are not flushed: it comes last. */
export function closeListener(server: NetServer, done: () => void): void {
  NetServer.prototype.close.call(server, () => {
    server.close(() => undefined); // stops Node's timeout timer
    done();
  });
}

/** Lets clients that have closed their sending side receive their response. */
export function allowHalfOpen<Target extends NetServer>(server: Target): Target {
  return Object.assign(server, { httpAllowHalfOpen: true });
}

export function staysOpen(reply: ServerResponse): boolean {
  const { shouldKeepAlive }: { readonly shouldKeepAlive?: unknown } = reply;
  return shouldKeepAlive === true;
}

export function takesChunks(reply: ServerResponse, { httpVersion }: IncomingMessage): boolean {
  const { useChunkedEncodingByDefault }: { readonly useChunkedEncodingByDefault?: unknown } = reply;
  return typeof useChunkedEncodingByDefault === 'boolean'
    ? useChunkedEncodingByDefault
    : httpVersion === '1.1';
}

/** Keeps our side open after the client has closed its own: removes Node's listener that would end it. */
export function keepAfterEnd(socket: Socket): void {
  socket.removeAllListeners('end');
}

/** Text whose bytes are the same in Latin-1 and UTF-8. */
const ascii = /^[\0-\x7f]*$/;

/**
 * Node's response, but a complete response is one text in one write: Node's separate writes cost as much as the whole
 * kernel.
 */
export class OneWriteResponse extends ServerResponse {
  /**
   * Sends and ends a response on a connection that stays open. `head` is everything before the body, with fields that
   * the caller has validated; `bytes` is the body's length. Returns false, and does nothing, if that is not possible.
   */
  sendWhole(
    status: number,
    reason: string,
    { head, body, bytes }: { readonly head: string; readonly body: string; readonly bytes: number },
  ): boolean {
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
