import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { httpErrors } from '../../failures/error-codes.js';
import { limitHttp1 } from './node-internals.js';

/** Milliseconds in which Node must have noticed a request that is too slow; it looks once a millisecond here. */
const timeoutMs = 1000;

interface Trial {
  readonly limit: string;
  /** What follows the request line and the Host field. */
  readonly text: string;
  readonly requestTimeout: number;
  /** How the server shows that it applies the limit. */
  readonly shows: string;
}

const timeoutCode = 'ERR_HTTP_REQUEST_TIMEOUT';
const trials: readonly Trial[] = [
  // Below Node's own limit of 16 KiB.
  {
    limit: 'maxHeaderSize',
    text: `X: ${'a'.repeat(14_000)}\r\n\r\n`,
    requestTimeout: 60_000,
    shows: 'HPE_HEADER_OVERFLOW',
  },
  // Node drops what is beyond 2,000 fields, unless it is set to leave that to us.
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
 * Sends requests that break a limit to private HTTP/2 servers whose limits of HTTP/1.1 are set as
 * those of ours are. No byte leaves the process. Throws `HTTP_LIMITS_IGNORED` where one is not applied: those limits are
 * a bound on what a stranger can cost, and Node does not document them.
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
    server.emit('listening'); // from then on Node looks after time-outs
    server.emit('secureConnection', socket);
    socket.push(`POST / HTTP/1.1\r\nHost: h\r\n${text}`);
  });
}
