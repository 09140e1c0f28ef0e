import { on } from 'node:events';
import type { WebSocket, WebSocketServer } from 'ws';
import { annotate } from '#core/attributes';
import { isCodedError } from '#core/coded-error';
import {
  bytes,
  callable,
  checkOptions,
  checkValue,
  listOf,
  number,
  optionsSchema,
  type OptionsSchema,
  text,
  whole,
} from '#core/options';
import { type ControllerContext, takesUpgrades } from '#framework/controller';
import { findData } from '#core/dump';
import { BadRequestError, ForbiddenError, HttpError, isError } from '#core/errors';
import {
  type HttpRequest,
  serialiseJson,
  type UpgradedConnection,
  UpgradeResponse,
  describeForeignOrigin,
} from '#core/http';
import { checkPackage, loadOnce } from '#core/patches';
import { runInScope } from '#core/scope';
import { webErrors, timerMilliseconds } from './web-extension.js';

/** Limits and rules for a route's WebSockets. */
export interface WebSocketOptions {
  /**
   * Origins, in addition to the application's own, whose pages may connect; only browsers send an origin. In production,
   * the application's own origin is known only with `TRUSTED_HOSTS`.
   */
  readonly origins?: readonly string[];
  /** Supported subprotocols, preferred ones first. */
  readonly protocols?: readonly string[];
  /** Maximum bytes of a message; a larger one closes the connection with 1009. Default 65,536. */
  readonly maxMessageBytes?: number;
  /** Maximum connections to this route in this process; further ones get a 503. Default 1000. */
  readonly maxConnections?: number;
  /** Maximum messages waiting for the handler before reading from the client pauses. Default 16. */
  readonly maxQueued?: number;
  /** Maximum bytes waiting for the client before it is disconnected (1013). Default 1 MiB. */
  readonly maxBufferedBytes?: number;
  /**
   * Seconds within which a client must answer a ping, and the handler must take a message of a paused client; otherwise
   * the connection is cut. Default 30; `Infinity`: never.
   */
  readonly idleSeconds?: number;
}

export const webSocketSchema: OptionsSchema<WebSocketOptions> = optionsSchema<WebSocketOptions>({
  origins: listOf(text),
  protocols: listOf(text),
  maxMessageBytes: bytes({ min: 1 }),
  maxConnections: whole({ min: 1, orInfinity: true }),
  maxQueued: whole({ min: 1 }),
  maxBufferedBytes: bytes({ min: 1 }),
  idleSeconds: number({ above: 0, unit: 'seconds', orInfinity: true }),
});

type SocketHandler<Parameters> = (
  socket: WebSocketConnection,
  context: ControllerContext<Parameters>,
) => void | Promise<void>;

/**
 * Creates the controller of a WebSocket route (RFC 6455), with the package ws: `app.get('/chat/{room}', webSocket(async
 * (socket, { params, user }) => { for await (const text of socket) await socket.send(text); }))`. The request passes
 * router, firewall and access rules like any other; refusals are answered over HTTP. So are pages of another origin
 * (403), requests that are not a handshake (426, which includes HTTP/2 and `app.fetch`), and connections above the
 * limit (503). The request's scope, with its user, lives as long as the connection, which is closed with 1001 when the
 * server stops. Register the route before the application listens. Throws `OPTIONS_BAD_VALUE`.
 */
export function webSocket<Parameters = Readonly<Record<string, unknown>>>(
  handler: SocketHandler<Parameters>,
  options: WebSocketOptions = {},
): (context: ControllerContext<Parameters>) => Promise<UpgradeResponse> {
  checkValue('webSocket()', 'handler', handler, callable());
  checkOptions('webSocket()', options, webSocketSchema);
  const { maxConnections = 1000, idleSeconds = 30 } = options;
  const idleMs = timerMilliseconds(idleSeconds * 1000);
  const open = new Set<WebSocket>();
  const load = loadOnce(() => loadServer(options));
  const controller = async (context: ControllerContext<Parameters>): Promise<UpgradeResponse> => {
    const { request } = context;
    checkHandshake(request, options);
    if (open.size >= maxConnections) {
      throw new HttpError(503, 'Too many connections.', { expose: true, headers: { 'Retry-After': '10' } });
    }
    const server = await load();
    return new UpgradeResponse((upgraded) =>
      accept(server, upgraded, (socket) => {
        open.add(socket);
        socket.once('close', () => open.delete(socket));
        const connection = new SocketConnection(socket, options);
        keepAlive(socket, connection, idleMs);
        runInScope(request.scope, () => {
          serve(socket, connection, handler, context).catch(upgraded.report);
        });
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
  if (origin === undefined || origins.includes(origin)) return;
  if (origin !== request.origin)
    throw new ForbiddenError(
      `Pages of this origin are not allowed to connect: ${describeForeignOrigin(request, origin)}.`,
    );
  // Without trusted hosts, the client chooses both of the compared values.
  if (request.trust?.namesHosts === false) {
    throw new ForbiddenError('The origin of this site is unknown: set TRUSTED_HOSTS, or pass `origins`.');
  }
}

async function loadServer({
  maxMessageBytes = 65_536,
  protocols = [],
}: WebSocketOptions): Promise<WebSocketServer> {
  checkPackage('ws');
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

async function serve<Parameters>(
  socket: WebSocket,
  connection: SocketConnection,
  handler: SocketHandler<Parameters>,
  context: ControllerContext<Parameters>,
): Promise<void> {
  const { stopping } = context.request;
  const stop = (): void => socket.close(1001, 'the server stops');
  if (stopping?.aborted === true) stop();
  else stopping?.addEventListener('abort', stop);
  // `stopping` outlives the connection. (The `signal` option is not used: Node loses that removal when garbage is
  // collected.)
  socket.once('close', () => stopping?.removeEventListener('abort', stop));
  try {
    await handler(connection, context);
    connection.close();
  } catch (error) {
    if (socket.readyState !== socket.OPEN && followsFromClose(error, connection.signal)) return;
    connection.close(1011, 'internal error');
    throw error;
  }
}

const maxCauses = 10;

/**
 * Whether a handler has failed only because the connection is closed: in a send, or in an operation that its signal has
 * aborted.
 */
function followsFromClose(error: unknown, signal: AbortSignal): boolean {
  let cause = error;
  for (let depth = 0; depth < maxCauses && cause !== undefined; depth++) {
    if (isCodedError(cause) && cause.code === 'WEB_SOCKET_CLOSED') return true;
    if (
      signal.aborted &&
      (cause === signal.reason || (isError(cause) && findData(cause, 'name') === 'AbortError'))
    )
      return true;
    cause = isError(cause) ? findData(cause, 'cause') : undefined;
  }
  return false;
}

/** Ends the connection if the client does not answer a ping, or waits for a handler that takes no messages. */
function keepAlive(socket: WebSocket, connection: SocketConnection, milliseconds: number): void {
  let isAlive = true;
  let taken = 0;
  socket.on('pong', () => (isAlive = true));
  socket.on('message', () => (isAlive = true));
  const timer = setInterval(() => {
    if (socket.isPaused) isAlive = connection.taken > taken; // pongs are not read while it is paused
    taken = connection.taken;
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, milliseconds);
  timer.unref();
  socket.once('close', () => clearInterval(timer));
}

/** A WebSocket message: text or bytes. */
export type SocketMessage = string | Uint8Array;

/** A WebSocket. Read its messages with `for await (const message of socket)`; a slow reader slows the client down. */
export type WebSocketConnection = Omit<SocketConnection, 'taken'>;

/** Milliseconds for which a handler may take no message, while its replies to a closed client are still dropped. */
const maxAnsweringMs = 30_000;

class SocketConnection implements AsyncIterable<SocketMessage> {
  /** The negotiated subprotocol; empty for none. */
  readonly protocol: string;
  readonly #socket: WebSocket;
  readonly #options: WebSocketOptions;
  readonly #over = new AbortController();
  /** The messages waiting for the handler; if there are too many, Node pauses the socket. */
  readonly #messages: AsyncIterableIterator<unknown[]>;
  taken = 0;
  #isClosedHere = false;
  /** When the handler took its last message; undefined unless it is reading. */
  #takenAt: number | undefined;

  constructor(socket: WebSocket, options: WebSocketOptions) {
    this.#socket = socket;
    this.#options = options;
    this.protocol = socket.protocol;
    const { maxQueued = 16 } = options;
    this.#messages = on(socket, 'message', { close: ['close'], highWaterMark: maxQueued });
    socket.on('close', () => this.#over.abort());
    socket.on('error', () => undefined); // followed by a close event, which is handled
  }

  /** Aborted when either side closes the connection. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /**
   * Sends text or bytes, anything else as JSON. Resolves when the data has been passed to the operating system. Rejects
   * with `WEB_SOCKET_CLOSED`, or with `WEB_SOCKET_SLOW` if the client does not keep up, which closes the connection.
   * Replies to messages that a client sent before it closed the connection are dropped instead, so that the handler
   * reads them all.
   */
  async send(data: unknown): Promise<void> {
    const { maxBufferedBytes = 1_048_576 } = this.#options;
    const message = typeof data === 'string' || data instanceof Uint8Array ? data : serialiseJson(data);
    if (this.#socket.readyState !== this.#socket.OPEN) {
      if (this.#isAnswering()) return;
      throw webErrors.create('WEB_SOCKET_CLOSED', {});
    }
    if (this.#socket.bufferedAmount > maxBufferedBytes) {
      this.close(1013, 'too slow');
      throw webErrors.create('WEB_SOCKET_SLOW', { limit: maxBufferedBytes });
    }
    await new Promise<void>((resolve, reject) => {
      this.#socket.send(message, (error) => {
        if (error instanceof Error && !this.#isAnswering())
          reject(webErrors.create('WEB_SOCKET_CLOSED', {}, { cause: error }));
        else resolve();
      });
    });
  }

  /** Closes the connection with a status code from RFC 6455 section 7.4. */
  close(code = 1000, reason = ''): void {
    this.#isClosedHere ||= this.#socket.readyState === this.#socket.OPEN;
    this.#socket.close(code, reason);
  }

  /** Whether the handler is reading messages from before the connection was closed by the client. */
  #isAnswering(): boolean {
    if (this.#isClosedHere || this.#takenAt === undefined) return false;
    return performance.now() - this.#takenAt < maxAnsweringMs;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SocketMessage, void> {
    try {
      for (;;) {
        const next = await this.#messages.next().catch(() => undefined); // a socket error closes it
        if (next === undefined || next.done === true) return;
        this.taken += 1;
        this.#takenAt = performance.now();
        const [data, isBinary] = next.value;
        const bytes = data as Buffer; // `binaryType` has its default, nodebuffer
        yield isBinary === true ? bytes : bytes.toString('utf8');
      }
    } finally {
      this.#takenAt = undefined;
    }
  }
}
