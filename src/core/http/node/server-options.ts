import { bytes, optionsWithDefaults, type OptionsSchema, readOptions, whole } from '#core/options';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { httpErrors } from '../failures/error-codes.js';
import type { HttpRequest } from '../request/http-request.js';
import type { HttpResponse, SentResponse } from '../response/http-response.js';
import { defaultRequestLimits, type RequestLimits } from '../source/request-source.js';
import type { TrustPolicy } from '../trust/trust-policy.js';

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** Limits on the resources that clients can use. Times in milliseconds. */
export interface ServerLimits extends RequestLimits {
  /** Maximum bytes of request line and header block together (431). */
  readonly headerBytes: number;
  /** Timeout for receiving the header block (408). */
  readonly headerTimeout: number;
  /** Timeout for receiving the whole request (408). */
  readonly requestTimeout: number;
  /** Timeout for a connection without a request. */
  readonly keepAliveTimeout: number;
  /** Timeout for a client that does not read its response. */
  readonly writeTimeout: number;
  /** Maximum concurrent connections from all clients together; further ones are closed at once. */
  readonly maxConnections: number;
}

/** Default limits, including a header block of 16 KiB and 10,000 connections. */
export const defaultServerLimits: ServerLimits = Object.freeze({
  ...defaultRequestLimits,
  headerBytes: 16_384,
  headerTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 5000,
  writeTimeout: 60_000,
  maxConnections: 10_000,
});

const wholeMilliseconds = whole({ min: 0, max: 2_147_483_647, unit: 'milliseconds' }); // Node refuses fractions when it starts listening

/** Only limits that a proxy or another server can enforce instead may be turned off. */
export const serverLimitsSchema: OptionsSchema<
  Partial<ServerLimits>,
  keyof ServerLimits
> = optionsWithDefaults<Partial<ServerLimits>, keyof ServerLimits>(
  {
    body: bytes({ orInfinity: true }),
    upload: bytes({ orInfinity: true }),
    target: bytes(),
    jsonDepth: whole({ min: 0 }),
    formFields: whole({ min: 0 }),
    formDepth: whole({ min: 0 }),
    files: whole({ min: 0 }),
    headerBytes: bytes({ min: 1 }),
    headerTimeout: wholeMilliseconds,
    requestTimeout: wholeMilliseconds,
    keepAliveTimeout: wholeMilliseconds,
    writeTimeout: wholeMilliseconds,
    maxConnections: whole({ min: 1, orInfinity: true }),
  },
  defaultServerLimits,
);

/** Returns the limits, with defaults for undefined values. Throws like `checkOptions`. */
export function serverLimitsOf(location: string, limits: Partial<ServerLimits> | undefined): ServerLimits {
  return readOptions(location, limits, serverLimitsSchema);
}

export interface NodeServerOptions {
  /** Answers a request, valid or not (see `source.failure`). If it throws, a plain 500 is sent. */
  readonly handle: (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;
  /** Called once per answer, after the last byte or when the client disconnects. Stopping waits for its promise. */
  readonly terminate?: (
    request: HttpRequest,
    response: HttpResponse,
    sent: SentResponse,
  ) => void | Promise<void>;
  /** Called with errors from `handle`, `terminate` and streamed bodies; clients never see them. */
  readonly onError?: (error: unknown, request?: HttpRequest) => void;
  /** Whether responses may be an `UpgradeResponse`. Otherwise `Upgrade` is ignored, as HTTP allows. */
  readonly takesUpgrades?: boolean;
  readonly limits?: Partial<ServerLimits>;
  readonly trust?: TrustPolicy | undefined;
  readonly tls?: TlsFiles | undefined;
  /** Headers for last-resort 500s, which are sent without calling `handle`. */
  readonly plainHeaders?: Readonly<Record<string, string>>;
}

/** A server that is accepting connections. */
export interface ListeningServer {
  /** `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly port: number;
  /** Stops accepting connections, waits for the requests in flight, and cuts those that remain after `graceMs` (4,500). */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

export interface ListenOptions {
  /** Address or name. Default: `127.0.0.1`. */
  readonly host?: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

/** Binds the server and returns the port. Throws `HTTP_PORT_BUSY` or `HTTP_LISTEN_FAILED`. */
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

/** Returns a bound server's base URL. A wildcard address is shown as the loopback address, which a browser can open. */
export function baseUrl(scheme: 'http' | 'https', host: string, port: number): string {
  const shown = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const authority = shown.includes(':') ? `[${shown}]` : shown;
  return `${scheme}://${authority}:${port}`;
}

function listenError(cause: NodeJS.ErrnoException, { host, port }: Required<ListenOptions>): Error {
  return cause.code === 'EADDRINUSE'
    ? httpErrors.create('HTTP_PORT_BUSY', { host, port, next: Math.min(port + 1, 65_535) }, { cause })
    : httpErrors.create('HTTP_LISTEN_FAILED', { host, port, reason: cause.code ?? cause.message }, { cause });
}

/** Reads the certificate and the key. Throws `HTTP_TLS_UNREADABLE` and `HTTP_TLS_INVALID`. */
export function readTlsFiles(files: TlsFiles): TlsOptions {
  const cert = read('certificate', files.cert, 'TLS_CERT');
  const key = read('key', files.key, 'TLS_KEY');
  try {
    process.getBuiltinModule('node:tls').createSecureContext({ cert, key }); // loaded on demand
  } catch (cause) {
    throw httpErrors.create(
      'HTTP_TLS_INVALID',
      { cert: files.cert, key: files.key, reason: reasonOf(cause) },
      { cause },
    );
  }
  return { cert, key };
}

function read(what: string, path: string, setting: string): Buffer {
  // A key passed instead of its path must not be shown, neither by lookback nor by Node's error.
  if (path.includes('-----BEGIN'))
    throw httpErrors.create('HTTP_TLS_UNREADABLE', {
      what,
      path: '[redacted]',
      setting,
      reason: 'it is the content of a file, not its path',
    });
  try {
    return readFileSync(path);
  } catch (cause) {
    throw httpErrors.create(
      'HTTP_TLS_UNREADABLE',
      { what, path, setting, reason: reasonOf(cause) },
      { cause },
    );
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
