import type { Server, Socket } from 'node:net';
import type { Refusals } from '../refusals.js';
import type { ServerState } from '../server-state.js';

/** Maximum bytes of a plain request that are read, because they are only displayed. */
const maxPlainBytes = 2048;

/**
 * Answers plain HTTP that arrives at a TLS server, where OpenSSL would close the connection silently. Inspects the
 * first bytes of each connection, and passes all others on to the server's own listeners. Call it before adding any
 * listener.
 */
export function refusePlainHttp(server: Server, service: ServerState, refusals: Refusals): void {
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[]; // as documented for this event
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    service.noteTcpSocket(socket);
    const first = new FirstBytes(socket, service.limits.headerTimeout);
    first.onPlain = (bytes) => refusals.refusePlain(bytes, socket);
    first.onOther = () => {
      for (const listener of listeners) listener.call(server, socket);
    };
  });
}

/** Reads the beginning of a connection until it is clear who handles the rest. */
class FirstBytes {
  onPlain: (bytes: Buffer) => void = () => undefined;
  onOther: () => void = () => undefined;
  readonly #socket: Socket;
  readonly #timer: NodeJS.Timeout;
  #bytes = Buffer.alloc(0);

  /**
   * A client that sends nothing within `timeout` milliseconds is disconnected, like one that does not finish its
   * handshake.
   */
  constructor(socket: Socket, timeout: number) {
    this.#socket = socket;
    this.#timer = setTimeout(this.#end, timeout).unref();
    socket.on('readable', this.#read).once('end', this.#end).once('error', this.#fail);
  }

  readonly #read = (): void => {
    const chunk = this.#socket.read() as Buffer | null; // no one has set an encoding
    if (chunk === null) return;
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    if (!isLetter(this.#bytes[0])) return this.#passOn();
    if (this.#bytes.includes('\r\n\r\n') || this.#bytes.length >= maxPlainBytes) this.#end();
  };

  /** Returns the bytes to the socket, from which the TLS socket reads them. */
  #passOn(): void {
    this.#release();
    this.#socket.unshift(this.#bytes);
    this.onOther();
  }

  readonly #end = (): void => {
    this.#release();
    if (this.#bytes.length === 0) this.#socket.destroy();
    else this.onPlain(this.#bytes);
  };

  readonly #fail = (): void => {
    this.#release();
    this.#socket.destroy();
  };

  #release(): void {
    clearTimeout(this.#timer);
    this.#socket.off('readable', this.#read).off('end', this.#end).off('error', this.#fail);
  }
}

/**
 * Whether a byte can begin a method. A TLS handshake begins with 22 (RFC 8446 section 5.1), an SSL 2 handshake with 128
 * or more.
 */
function isLetter(byte = 0): boolean {
  return /[A-Za-z]/.test(String.fromCharCode(byte));
}
