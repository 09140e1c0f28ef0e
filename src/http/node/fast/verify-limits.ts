import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { httpErrors } from '../../failures/error-codes.js';
import { limitHttp1 } from './node-internals.js';

/** Milliseconds within which Node must detect a slow request; it is set to check every millisecond here. */
const timeoutMs = 1000;

interface Trial {
  readonly limit: string;
  /** The bytes after the request line and the Host field. */
  readonly text: string;
  readonly requestTimeout: number;
  /** The error code, or `all fields`, by which the server shows that it applies the limit. */
  readonly shows: string;
}

const timeoutCode = 'ERR_HTTP_REQUEST_TIMEOUT';
const trials: readonly Trial[] = [
  // Above the limit that is set here, and below Node's default of 16 KiB.
  {
    limit: 'maxHeaderSize',
    text: `X: ${'a'.repeat(14_000)}\r\n\r\n`,
    requestTimeout: 60_000,
    shows: 'HPE_HEADER_OVERFLOW',
  },
  // By default, Node drops all fields after the first 2,000.
  {
    limit: 'maxHeadersCount',
    text: `${'a:b\r\n'.repeat(2100)}\r\n`,
    requestTimeout: 60_000,
    shows: 'all fields',
  },
  { limit: 'headersTimeout', text: 'X', requestTimeout: 60_000, shows: timeoutCode },
  { limit: 'requestTimeout', text: 'Content-Length: 5\r\n\r\n', requestTimeout: 2, shows: timeoutCode },
];

/**
 * Verifies that Node applies the HTTP/1.1 limits of HTTP/2 servers: sends requests that exceed a limit to private
 * servers with limits set in the same way. No byte leaves the process. Throws `HTTP_LIMITS_IGNORED` if a limit is not
 * applied: the limits bound what an unknown client can cost, and Node does not document them.
 */
export async function verifyLimits(): Promise<void> {
  const results = await Promise.all(trials.map(isApplied));
  const ignored = trials.filter((_trial, at) => results[at] !== true).map(({ limit }) => limit);
  if (ignored.length > 0)
    throw httpErrors.create('HTTP_LIMITS_IGNORED', {
      version: process.version,
      limits: ignored.join(', '),
    });
}

function isApplied({ text, requestTimeout, shows }: Trial): Promise<boolean> {
  const { createSecureServer } = process.getBuiltinModule('node:http2');
  const server = limitHttp1(createSecureServer({ allowHTTP1: true }), {
    maxHeaderSize: 12_000,
    maxHeadersCount: 0,
    headersTimeout: 1,
    requestTimeout,
    keepAliveTimeout: 1,
    connectionsCheckingInterval: 1,
  });
  const socket = Object.assign(
    new Duplex({ read: () => undefined, write: (_chunk, _form, done) => done() }),
    {
      alpnProtocol: 'http/1.1',
      server,
    },
  );
  return new Promise((resolve) => {
    const end = (outcome: 'shown' | 'missing'): void => {
      clearTimeout(timer);
      socket.destroy();
      server.close(() => undefined);
      resolve(outcome === 'shown');
    };
    const timer = setTimeout(end, timeoutMs, 'missing');
    server.on('clientError', (error: NodeJS.ErrnoException, _socket: Socket) =>
      end(error.code === shows ? 'shown' : 'missing'),
    );
    server.on('request', ({ rawHeaders }: { readonly rawHeaders: readonly string[] }) => {
      if (shows === 'all fields') end(rawHeaders.length > 2100 * 2 ? 'shown' : 'missing');
    });
    server.emit('listening'); // starts Node's timeout checks
    server.emit('secureConnection', socket);
    socket.push(`POST / HTTP/1.1\r\nHost: h\r\n${text}`);
  });
}
