import { IncomingMessage, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { Duplex, Readable } from 'node:stream';

/*
 * Everything of Node's own that this house relies on beyond its documentation: the table of decision 211 says of each what
 * for, how its absence is noticed, and what happens then.
 */

/** Node's account of a response's head. */
interface HeadAccount {
  _header?: string | null;
  _headerSent?: boolean;
}

/** Marks the head as sent for Node. False, and nothing done, where it was sent or prepared, or Node has no such account. */
export function takeHead(reply: ServerResponse, head: string): boolean {
  const account = reply as HeadAccount; // private, hence in no type
  if (account._header !== null || account._headerSent !== false) return false;
  if (reply.getHeaderNames().length > 0) return false;
  account._header = head;
  account._headerSent = true;
  return true;
}

const writeHead = ownMethod('writeHead');
const end = ownMethod('end');

/** Node's own method; undefined where an instrument had put its own in that place before we came. */
function ownMethod(name: 'writeHead' | 'end'): unknown {
  const method: unknown = Reflect.get(ServerResponse.prototype, name);
  if (typeof method !== 'function') return undefined;
  return Function.prototype.toString.call(method).startsWith(`function ${name}(`) ? method : undefined;
}

/** Whether Node's methods are still in place, not replaced by others. */
export function hasOwnMethods(reply: ServerResponse): boolean {
  return reply.writeHead === writeHead && reply.end === end;
}

/** Whether a response of which `takeHead` took the head writes nothing more when it ends. */
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
    const socket = sink as Socket; // all of a socket that a response needs
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

/** What Node's message has, under a class that has something else in its place. */
export const nodeMessage = {
  headers: (message: IncomingMessage): unknown => headers?.get?.call(message),
  hasEnded: (message: IncomingMessage): boolean => readableEnded?.get?.call(message) === true,
  dump(message: IncomingMessage): void {
    if (typeof dump === 'function') dump.call(message);
  },
};

/** `Lazy` where Node's messages are made as it expects, else Node's own class. */
export function messageClass(Lazy: typeof IncomingMessage): typeof IncomingMessage {
  if (headers?.get === undefined || readableEnded?.get === undefined) return IncomingMessage;
  if (typeof dump !== 'function' || typeof addHeaderLines !== 'function') return IncomingMessage;
  try {
    const [own, lazy] = [IncomingMessage, Lazy].map((Message) => {
      const message = new Message(new Readable() as Socket); // of which a message reads the size of its buffer only
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

/** Adds to what waits to be sent over a connection, at 16 KiB of which Node reads no more of it. False where it cannot. */
export function weighPending(reply: ServerResponse, bytes: number): boolean {
  const account: unknown = Reflect.get(reply, '_onPendingData');
  if (typeof account !== 'function') return false;
  account.call(reply, bytes);
  return true;
}

/** The connections on which no request was begun. Undefined where Node's list is not found. */
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

/**
 * Takes no more connections, and closes none: Node's `close` of HTTP servers also cuts off responses that are given and
 * not yet sent. To be called again, with Node's own, when all are closed.
 */
export function closeListener(server: NetServer, done: () => void): void {
  NetServer.prototype.close.call(server, () => {
    server.close(() => undefined); // ends the timer of Node's time-outs
    done();
  });
}

/** Lets clients that have closed their sending side get their response. */
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

/** Node closes our side when the client closes its own: no more. */
export function keepAfterEnd(socket: Socket): void {
  socket.removeAllListeners('end');
}

/** Limits that the HTTP/1.1 side of an HTTP/2 server reads from its object, as its constructor takes no options for them. */
export interface Http1Limits {
  readonly maxHeaderSize: number;
  readonly maxHeadersCount: number;
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  readonly connectionsCheckingInterval: number;
}

export function limitHttp1<Target extends NetServer>(server: Target, limits: Http1Limits): Target {
  return Object.assign(server, limits, { requireHostHeader: false, insecureHTTPParser: false });
}
