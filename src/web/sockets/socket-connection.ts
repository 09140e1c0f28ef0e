import type { WebSocket } from 'ws';
import { webErrors } from '../error-codes.js';
import { noteMessage } from './socket-transcript.js';
import type { SocketTranscript } from './socket-transcript.js';

/** A message of a WebSocket: text, or bytes. */
export type SocketMessage = string | Uint8Array;

/** A WebSocket. Read its messages by `for await (const message of socket)`; a slow reader slows the client down. */
export interface WebSocketConnection extends AsyncIterable<SocketMessage> {
  /** The negotiated subprotocol; empty for none. */
  readonly protocol: string;
  /** Aborted when either side closes the connection. */
  readonly signal: AbortSignal;
  /**
   * Sends text or bytes, anything else as JSON. Resolves when the data is passed to the operating system. Rejects with
   * `WEB_SOCKET_CLOSED`, or with `WEB_SOCKET_SLOW` if the client does not keep up, which closes the connection.
   */
  send(data: unknown): Promise<void>;
  /** Closes the connection with a status code of RFC 6455 section 7.4. Default 1000. */
  close(code?: number, reason?: string): void;
}

interface ConnectionOptions {
  /** Undefined if messages are not recorded. */
  readonly transcript: SocketTranscript | undefined;
  readonly maxQueued: number;
  readonly maxBufferedBytes: number;
}

/** A connection on a socket of the package ws. */
export class SocketConnection implements WebSocketConnection {
  readonly protocol: string;
  readonly #socket: WebSocket;
  readonly #options: ConnectionOptions;
  readonly #over = new AbortController();
  readonly #since = performance.now();
  readonly #queue: SocketMessage[] = [];
  #wake: (() => void) | undefined;

  constructor(socket: WebSocket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.protocol = socket.protocol;
    socket.on('message', (data, isBinary) => {
      const bytes = data as Buffer; // `binaryType` has its default, nodebuffer
      this.#receive(isBinary ? bytes : bytes.toString('utf8'));
    });
    socket.on('close', (code) => {
      if (options.transcript !== undefined) options.transcript.closeCode = code;
      this.#over.abort();
      this.#wake?.();
    });
    socket.on('error', () => undefined); // followed by a close event, which is handled
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  async send(data: unknown): Promise<void> {
    const { transcript, maxBufferedBytes } = this.#options;
    const message =
      typeof data === 'string' || data instanceof Uint8Array ? data : (JSON.stringify(data) ?? 'null');
    if (this.#socket.readyState !== this.#socket.OPEN) throw webErrors.create('WEB_SOCKET_CLOSED', {});
    if (this.#socket.bufferedAmount > maxBufferedBytes) {
      this.close(1013, 'too slow');
      throw webErrors.create('WEB_SOCKET_SLOW', { limit: maxBufferedBytes });
    }
    noteMessage(transcript, message, { direction: 'out', since: this.#since });
    await new Promise<void>((resolve, reject) => {
      this.#socket.send(message, (error) => {
        if (error instanceof Error) reject(webErrors.create('WEB_SOCKET_CLOSED', {}, { cause: error }));
        else resolve();
      });
    });
  }

  close(code = 1000, reason = ''): void {
    this.#socket.close(code, reason);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SocketMessage, void> {
    for (;;) {
      const message = this.#queue.shift();
      if (this.#queue.length < this.#options.maxQueued && this.#socket.isPaused) this.#socket.resume();
      if (message !== undefined) yield message;
      else if (this.#over.signal.aborted) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  #receive(message: SocketMessage): void {
    noteMessage(this.#options.transcript, message, { direction: 'in', since: this.#since });
    this.#queue.push(message);
    if (this.#queue.length >= this.#options.maxQueued) this.#socket.pause();
    this.#wake?.();
  }
}
