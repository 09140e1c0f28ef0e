import type { HttpRequest } from '../../request/http-request.js';
import type { HttpResponse } from '../../response/http-response.js';
import type { SentResponse } from '../../response/sent-response.js';
import type { TrustPolicy } from '../../trust/create-trust-policy.js';
import { defaultRequestLimits, type RequestLimits } from '../../source/request-limits.js';

/** PEM files of an HTTPS server. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Authorities whose client certificates are trusted. Clients are requested to send one, but are also served without. */
  readonly clientCa?: string | undefined;
}

/** Limits on what clients can cost. Times in milliseconds. */
export interface ServerLimits extends RequestLimits {
  /** Maximum bytes of request line and header block together (431). */
  readonly headerBytes: number;
  /** Timeout for receiving the header block (408). */
  readonly headerTimeout: number;
  /** Timeout for receiving the whole request (408). */
  readonly requestTimeout: number;
  /** Timeout for a connection without a request. */
  readonly keepAliveTimeout: number;
  /** Timeout for a client that reads nothing of its response. */
  readonly writeTimeout: number;
  /** Maximum concurrent connections of all clients together; further ones are closed at once. */
  readonly maxConnections: number;
  /** Unparsable requests per second that get the full answer and a record; the rest get a short answer and are counted. */
  readonly refusalsPerSecond: number;
}

/** Defaults, among them: header block of 16 KiB, 10,000 connections, 200 full refusals per second. */
export const defaultServerLimits: ServerLimits = Object.freeze({
  ...defaultRequestLimits,
  headerBytes: 16_384,
  headerTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 5000,
  writeTimeout: 60_000,
  maxConnections: 10_000,
  refusalsPerSecond: 200,
});

export interface NodeServerOptions {
  /** Answers a request, valid or not (see `source.failure`). If it throws, a plain 500 is sent. */
  readonly handle: (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;
  /** Called once per answer, after the last byte or when the client disconnects. Stopping waits for its promise. */
  readonly terminate?: (
    request: HttpRequest,
    response: HttpResponse,
    sent: SentResponse,
  ) => void | Promise<void>;
  /** Called with errors of `handle`, `terminate` and streamed bodies; clients never see them. */
  readonly onError?: (error: unknown, request?: HttpRequest) => void;
  /** Whether answers may be an `UpgradeResponse`. Else `Upgrade` is ignored, as HTTP allows. */
  readonly takesUpgrades?: boolean;
  readonly limits?: Partial<ServerLimits>;
  readonly trust?: TrustPolicy | undefined;
  readonly tls?: TlsFiles | undefined;
  /** Headers of answers that are sent without calling `handle`: refusals over the rate limit and last-resort 500s. */
  readonly plainHeaders?: Readonly<Record<string, string>>;
}
