import { createServer, IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import type {
  Http2SecureServer,
  Http2ServerRequest,
  Http2ServerResponse,
  ServerHttp2Session,
} from 'node:http2';
import type { Server, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { CodedError } from '#core/coded-error';
import { httpErrors } from '../failures/error-codes.js';
import { beginUpgrade, type ParserError, Refusals } from './refusals.js';
import { ConnectionExchange, ServerState } from './server-state.js';
import { Http2Sessions } from './http2-sessions.js';
import { Http1Writer } from './http1-writer.js';
import { ServerMessage } from './fast/lazy-incoming-message.js';
import { allowHalfOpen, closeListener, OneWriteResponse, findIdle } from './fast/node-internals.js';
import {
  type ListeningServer,
  type ListenOptions,
  baseUrl,
  bindServer,
  type NodeServerOptions,
  type ServerLimits,
  readTlsFiles,
} from './server-options.js';
import { peerOf } from '../source/request-source.js';
import { NodeSource } from './node-source.js';
import { refusePlainHttp } from './fast/plain-connections.js';

/** A server that is not yet bound to a port. */
export interface NodeServer {
  listen(options: ListenOptions): Promise<ListeningServer>;
}

/**
 * Creates an HTTP/1.1 server; with `tls`, an HTTPS server that also offers HTTP/2 by ALPN. All requests, including
 * malformed ones, go to `handle`; nothing a client does can end the process. Throws `HTTP_TLS_UNREADABLE` and
 * `HTTP_TLS_INVALID`.
 */
export function createNodeServer(options: NodeServerOptions): NodeServer {
  const service = new ServerState(options);
  const refusals = new Refusals(service);
  const server = options.tls === undefined ? plainServer(service) : secureServer(options.tls, service);
  if (options.tls === undefined) server.on('connection', (socket: Socket) => service.noteSocket(socket));
  else refusePlainHttp(server, service, refusals);
  limitConnections(server, service);
  const sessions = new Http2Sessions(service);
  const parts = { service, sessions };
  // A kept-alive connection has timed out. If part of a request has arrived, the request timeouts apply.
  server.on('timeout', (socket: Socket) => closeIdle(server, [socket], service));
  server.on('secureConnection', (socket: TLSSocket) => {
    service.noteTlsSocket(socket);
    // Node does not pass the server's option on to TLS sockets. Neither a handshake nor an HTTP/2 session can continue once
    // the client has closed its side.
    if (socket.alpnProtocol !== 'h2') socket.allowHalfOpen = true;
  });
  // A registered symbol works across copies of the package: `lookback/register` does not record servers that have it.
  Object.defineProperty(server, Symbol.for('lookback.server'), { value: true });
  server.on('request', (message: Message, reply: Reply) => beginRequest(parts, message, reply));
  server.on('checkContinue', (message: Message, reply: Reply) =>
    beginRequest(parts, message, reply, { expectsContinue: true }),
  );
  server.on('checkExpectation', (message: Message, reply: Reply) =>
    beginRequest(parts, message, reply, {
      failure: httpErrors.create('HTTP_EXPECTATION', {
        expect: (message.headers.expect ?? '').slice(0, 100),
      }),
    }),
  );
  if (options.takesUpgrades === true)
    server.on('upgrade', (message: IncomingMessage, socket: Socket, head: Buffer) => {
      beginUpgrade(service, message, socket, head).catch((error: unknown) => service.report(error));
    });
  server.on('connect', (message: Message, other: Socket | Http2ServerResponse) => {
    if (message instanceof IncomingMessage) refusals.refuseConnect(message, other as Socket); // HTTP/1 passes the socket
    else beginRequest(parts, message, other as Http2ServerResponse); // HTTP/2 passes an ordinary response
  });
  server.on('clientError', (error: ParserError, socket: Socket) => refusals.refuse(error, socket));
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    watchSession(session, service, refusals);
  });
  return {
    async listen({ host = '127.0.0.1', port }): Promise<ListeningServer> {
      const bound = await bindServer(server, { host, port });
      server.on('error', (error) => service.report(error));
      return {
        url: baseUrl(options.tls === undefined ? 'http' : 'https', host, bound),
        port: bound,
        close: ({ graceMs = 4500 } = {}) => stopServer(server, service, sessions, graceMs),
      };
    },
  };
}

type Message = IncomingMessage | Http2ServerRequest;
type Reply = ServerResponse | Http2ServerResponse;

/** HTTP/1 options. On an HTTP/2 server they are properties, because its constructor does not accept them. */
function http1Options(limits: ServerLimits): ServerOptions {
  return {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headerTimeout,
    requestTimeout: limits.requestTimeout,
    keepAliveTimeout: limits.keepAliveTimeout,
    connectionsCheckingInterval: 1000,
    requireHostHeader: false, // validateRequest refuses it like every other bad request
    insecureHTTPParser: false,
  };
}

const maxHeadersCount = 0; // no limit: Node would silently drop the surplus; `maxHeaderSize` bounds them

function plainServer({ limits }: ServerState): Server {
  const server = createServer({
    IncomingMessage: ServerMessage,
    ServerResponse: OneWriteResponse,
    ...http1Options(limits),
    noDelay: true,
  });
  return allowHalfOpen(Object.assign(server, { maxHeadersCount }));
}

function secureServer(
  files: NonNullable<NodeServerOptions['tls']>,
  { limits }: ServerState,
): Http2SecureServer {
  const { createSecureServer } = process.getBuiltinModule('node:http2'); // loaded on demand
  const server = createSecureServer({
    ...readTlsFiles(files),
    allowHTTP1: true,
    noDelay: true, // HTTP/2 sets it itself, but for HTTP/1 over TLS, Nagle's algorithm delays each second chunk by 40 ms
    Http1IncomingMessage: ServerMessage,
    Http1ServerResponse: OneWriteResponse,
    minVersion: 'TLSv1.2',
    handshakeTimeout: limits.headerTimeout,
    maxHeaderListPairs: 2000,
    settings: { maxConcurrentStreams: 100, maxHeaderListSize: limits.headerBytes * 2 },
  });
  return allowHalfOpen(Object.assign(server, http1Options(limits), { maxHeadersCount }));
}

function beginRequest(
  { service, sessions }: { readonly service: ServerState; readonly sessions: Http2Sessions },
  message: Message,
  reply: Reply,
  known?: { readonly expectsContinue?: boolean; readonly failure?: CodedError },
): void {
  const source = new NodeSource(message, reply);
  if (known?.expectsContinue === true) source.expectsContinue = true;
  source.failure = known?.failure ?? versionFailure(message) ?? sizeFailure(source, service.limits);
  if (message instanceof IncomingMessage && reply instanceof OneWriteResponse) {
    const writer = new Http1Writer(message, reply, source, service);
    const exchange = new ConnectionExchange(source, writer, service);
    const close = (): void => exchange.close();
    writer.onFlushed = close;
    reply.on('close', close);
    if (reply.socket === null) {
      service.pipelined.add(message, reply, exchange, () => replyBefore(service, message.socket));
    } else {
      exchange.accept();
      // After everything that has already arrived has been read (decision 210), and in its own callback, so
      // that each request has its own asynchronous context: no request sees values that another one stored
      // there.
      setImmediate(() => exchange.begin());
    }
  } else if ('stream' in reply) {
    sessions.arrive(reply.stream, source);
  }
}

function replyBefore(service: ServerState, socket: Socket): ServerResponse | undefined {
  const reply = service.inFlightOn(socket).at(-2)?.source.reply; // the last one is the waiting request
  return reply instanceof ServerResponse ? reply : undefined;
}

/** Refuses HTTP versions that Node's parser accepts: HTTP/0.9, and HTTP/2.0 in an HTTP/1 request line. */
function versionFailure(message: Message): CodedError | undefined {
  if (!(message instanceof IncomingMessage) || message.httpVersionMajor === 1) return undefined;
  return httpErrors.create('HTTP_VERSION_UNSUPPORTED', { version: message.httpVersion });
}

/** Limits the size of an HTTP/2 header list. For HTTP/1, Node's parser does that. */
function sizeFailure(source: NodeSource, { headerBytes }: ServerLimits): CodedError | undefined {
  if (!source.httpVersion.startsWith('2')) return undefined;
  let bytes = source.target.length;
  for (const text of source.rawHeaders) bytes += text.length + 2;
  return bytes > headerBytes
    ? httpErrors.create('HTTP_HEADERS_TOO_LARGE', { limit: headerBytes })
    : undefined;
}

function watchSession(session: ServerHttp2Session, service: ServerState, refusals: Refusals): void {
  const peer = peerOf(session.socket); // read now: the socket is not accessible once the session has failed
  session.on('error', (error: Error) => {
    const failure = httpErrors.create('HTTP_PARSER_REFUSED', { reason: error.message }, { cause: error });
    refusals.note(failure, peer).catch((second: unknown) => service.report(second));
  });
}

/**
 * Milliseconds for which a connection that has sent nothing is kept when the server stops: its request may be on the
 * way.
 */
const silentMs = 100;

/** Closes idle connections at once, busy ones after their response, and all remaining ones after `graceMs`. */
async function stopServer(
  server: Server,
  service: ServerState,
  sessions: Http2Sessions,
  graceMs: number,
): Promise<void> {
  service.beginStop();
  const closed = new Promise<void>((resolve) => closeListener(server, resolve));
  closeIdle(server, service.sockets, service);
  sessions.close();
  const sweep = setInterval(() => closeIdle(server, service.sockets, service), 50).unref();
  const silent = setTimeout(() => {
    for (const socket of service.sockets) if (socket.bytesRead === 0) socket.destroy(); // Node does not count these as idle
  }, silentMs);
  const cutOff = setTimeout(() => {
    sessions.destroy();
    for (const socket of service.sockets) socket.destroy();
  }, graceMs);
  await closed;
  sessions.unwatch();
  clearInterval(sweep);
  clearTimeout(silent);
  clearTimeout(cutOff);
  await Promise.all(service.terminating);
}

/** Closes the connections that have neither a partly received request nor one in flight. */
function closeIdle(server: Server, sockets: Iterable<Socket>, { inFlight }: ServerState): void {
  const idle = findIdle(server);
  const busy = new Set(inFlight.map(({ source }) => source.socket));
  for (const socket of sockets) {
    const isIdle = idle === undefined ? inFlight.length === 0 && socket.bytesWritten > 0 : idle.has(socket);
    if (isIdle && !busy.has(socket)) socket.destroy();
  }
}

/** Minimum milliseconds between two reports of refused connections. */
const reportIntervalMs = 60_000;

/** Refuses connections beyond `maxConnections`. Reports the first refusal, and from then on the count at most once a minute. */
function limitConnections(server: Server, service: ServerState): void {
  const { maxConnections } = service.limits;
  if (maxConnections === Infinity) return;
  server.maxConnections = maxConnections;
  let refused = 0;
  let reportedAt = -Infinity;
  server.on('drop', () => {
    refused += 1;
    const now = performance.now();
    if (now - reportedAt < reportIntervalMs) return;
    service.report(httpErrors.create('HTTP_CONNECTIONS_REFUSED', { refused, limit: maxConnections }));
    reportedAt = now;
    refused = 0;
  });
}
