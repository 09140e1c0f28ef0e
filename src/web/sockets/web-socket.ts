import { annotate } from '#attributes';
import type { ControllerContext } from '#controller';
import { takesUpgrades } from '#controller';
import { BadRequestError, describeThrown, ForbiddenError, HttpError } from '#errors';
import type { HttpRequest, UpgradedConnection } from '#http';
import { UpgradeResponse } from '#http';
import { runInScope } from '#scope';
import type { WebSocket, WebSocketServer } from 'ws';
import { webErrors } from '../error-codes.js';
import { timerMilliseconds } from '../timer-milliseconds.js';
import type { WebSocketConnection } from './socket-connection.js';
import { SocketConnection } from './socket-connection.js';
import { socketTranscript } from './socket-transcript.js';

/** Limits and rules for the WebSockets of a route. */
export interface WebSocketOptions {
  /** Origins, in addition to the application's own, whose pages may connect; only browsers send an origin. */
  readonly origins?: readonly string[];
  /** Supported subprotocols in order of preference. */
  readonly protocols?: readonly string[];
  /** Maximum bytes of a message; a larger one closes the connection with 1009. Default 65,536. */
  readonly maxMessageBytes?: number;
  /** Maximum connections of this route in this process; further ones get a 503. Default 1000. */
  readonly maxConnections?: number;
  /** Maximum messages waiting for the handler before reading from the client pauses. Default 100. */
  readonly maxQueued?: number;
  /** Maximum bytes waiting for the client before it is disconnected (1013). Default 1 MiB. */
  readonly maxBufferedBytes?: number;
  /** Seconds within which a client must answer a ping, or else its connection is cut. Default 30; `Infinity`: never. */
  readonly idleSeconds?: number;
}

/** Serves one connection. The connection is closed when the handler returns (1000) or throws (1011). */
type SocketHandler<Parameters> = (
  socket: WebSocketConnection,
  context: ControllerContext<Parameters>,
) => void | Promise<void>;

/**
 * Creates the controller of a WebSocket route (RFC 6455), with the package ws:
 * `app.get('/chat/{room}', webSocket(async (socket, { params, user }) => { for await (const text of socket) await socket.send(text); }))`.
 * The request passes router, firewall and access rules like any other; refusals are answered over HTTP. So are pages of
 * another origin (403), requests that are not a handshake (426, which includes HTTP/2 and `app.fetch`), and connections
 * above the limit (503). The scope of the request, with its user, lives as long as the connection, which is closed with
 * 1001 when the server stops. Register the route before the application listens. Throws `WEB_BAD_OPTION`.
 */
export function webSocket<Parameters = Readonly<Record<string, unknown>>>(
  handler: SocketHandler<Parameters>,
  options: WebSocketOptions = {},
): (context: ControllerContext<Parameters>) => Promise<UpgradeResponse> {
  const { maxConnections = 1000, idleSeconds = 30 } = options;
  const named = { option: 'idleSeconds', what: 'webSocket', scale: 1000 } as const;
  const idleMs = timerMilliseconds(idleSeconds, named);
  const open = new Set<WebSocket>();
  let loading: Promise<WebSocketServer> | undefined;
  const controller = async (context: ControllerContext<Parameters>): Promise<UpgradeResponse> => {
    const { request } = context;
    checkHandshake(request, options);
    if (open.size >= maxConnections) {
      throw new HttpError(503, 'Too many connections.', { expose: true, headers: { 'Retry-After': '10' } });
    }
    const server = await (loading ??= loadServer(options));
    return new UpgradeResponse((connection) =>
      accept(server, connection, (socket) => {
        open.add(socket);
        socket.once('close', () => open.delete(socket));
        runInScope(request.scope, () => void serve(socket, { handler, context, options, idleMs }));
      }),
    );
  };
  return annotate(controller, takesUpgrades.of(true));
}

const keyForm = /^[+/0-9A-Za-z]{22}==$/;

function checkHandshake(request: HttpRequest, { origins = [] }: WebSocketOptions): void {
  const { headers, source } = request;
  const isHandshake = headers.get('upgrade')?.toLowerCase() === 'websocket' && source.canUpgrade === true;
  if (!isHandshake || headers.get('sec-websocket-version') !== '13') {
    throw new HttpError(426, 'This address accepts only WebSocket connections over HTTP/1.1.', {
      headers: { Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Version': '13' },
    });
  }
  if (!keyForm.test(headers.get('sec-websocket-key') ?? '')) {
    throw new BadRequestError('The Sec-WebSocket-Key is missing or malformed.');
  }
  const origin = headers.get('origin');
  if (origin !== undefined && origin !== request.origin && !origins.includes(origin)) {
    throw new ForbiddenError('Pages of this origin may not connect.');
  }
}

async function loadServer({
  maxMessageBytes = 65_536,
  protocols = [],
}: WebSocketOptions): Promise<WebSocketServer> {
  try {
    const { WebSocketServer: Server } = await import('ws');
    return new Server({
      noServer: true,
      clientTracking: false,
      maxPayload: maxMessageBytes,
      handleProtocols: (offered) => protocols.find((one) => offered.has(one)) ?? false,
    });
  } catch (cause) {
    throw webErrors.create('WEB_SOCKET_PACKAGE', {}, { cause });
  }
}

function accept(
  server: WebSocketServer,
  { message, socket, head, headers }: UpgradedConnection,
  then: (socket: WebSocket) => void,
): void {
  const addHeaders = (lines: string[]): void => {
    for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  };
  server.once('headers', addHeaders); // emitted synchronously by the call below
  server.handleUpgrade(message, socket, head, then);
  server.off('headers', addHeaders);
}

interface Served<Parameters> {
  readonly handler: SocketHandler<Parameters>;
  readonly context: ControllerContext<Parameters>;
  readonly options: WebSocketOptions;
  readonly idleMs: number;
}

async function serve<Parameters>(
  socket: WebSocket,
  { handler, context, options, idleMs }: Served<Parameters>,
): Promise<void> {
  const { scope, stopping } = context.request;
  const transcript = scope.getOwn(socketTranscript);
  const { maxQueued = 100, maxBufferedBytes = 1_048_576 } = options;
  const connection = new SocketConnection(socket, { transcript, maxQueued, maxBufferedBytes });
  const stop = (): void => connection.close(1001, 'the server stops');
  if (stopping?.aborted === true) stop();
  else stopping?.addEventListener('abort', stop, { once: true, signal: connection.signal });
  keepAlive(socket, idleMs);
  try {
    await handler(connection, context);
    connection.close();
  } catch (error) {
    if (connection.signal.aborted) return; // errors after the connection has closed are expected
    context.log.error(`The handler of a WebSocket failed: ${describeThrown(error)}`, { error });
    connection.close(1011, 'internal error');
  }
}

function keepAlive(socket: WebSocket, milliseconds: number): void {
  let isAlive = true;
  socket.on('pong', () => (isAlive = true));
  socket.on('message', () => (isAlive = true));
  const timer = setInterval(() => {
    if (!isAlive && !socket.isPaused) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, milliseconds);
  timer.unref();
  socket.once('close', () => clearInterval(timer));
}
