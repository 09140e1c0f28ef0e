import type { Server } from 'node:net';
import { httpErrors } from '../../failures/error-codes.js';

/** A server that is accepting connections. */
export interface ListeningServer {
  /** `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly port: number;
  /**
   * Stops accepting connections, waits for the requests in flight, and cuts off those that remain after `graceMs` (4,500
   * by default). Resolves when all connections are closed.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

export interface ListenOptions {
  /** Address or name. Default: `127.0.0.1`. */
  readonly host?: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

/**
 * Binds the server and returns the port. Throws `HTTP_PORT_BUSY`, `HTTP_PORT_FORBIDDEN`, `HTTP_HOST_UNUSABLE` or
 * `HTTP_LISTEN_FAILED`.
 */
export function bindServer(server: Server, options: Required<ListenOptions>): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(listenError(error, options));
    server.once('error', fail);
    server.listen({ host: options.host, port: options.port, backlog: 65_535 }, () => {
      server.off('error', fail);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : options.port);
    });
  });
}

/** Returns the base URL of a bound server. A wildcard address is shown as the loopback address, which a browser can open. */
export function baseUrl(scheme: 'http' | 'https', host: string, port: number): string {
  const shown = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const authority = shown.includes(':') ? `[${shown}]` : shown;
  return `${scheme}://${authority}:${port}`;
}

function listenError(cause: NodeJS.ErrnoException, { host, port }: Required<ListenOptions>): Error {
  switch (cause.code) {
    case 'EADDRINUSE':
      return httpErrors.create('HTTP_PORT_BUSY', { host, port, next: Math.min(port + 1, 65_535) }, { cause });
    case 'EACCES':
      return httpErrors.create('HTTP_PORT_FORBIDDEN', { host, port }, { cause });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return httpErrors.create('HTTP_HOST_UNUSABLE', { host, reason: cause.code }, { cause });
    default:
      return httpErrors.create('HTTP_LISTEN_FAILED', { host, port, reason: cause.message }, { cause });
  }
}
