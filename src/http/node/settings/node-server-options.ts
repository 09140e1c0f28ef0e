import type { HttpRequest } from '../../request/http-request.js';
import type { HttpResponse } from '../../response/http-response.js';
import type { SentResponse } from '../../response/sent-response.js';
import type { TrustPolicy } from '../../trust/create-trust-policy.js';
import { defaultRequestLimits, type RequestLimits } from '../../source/request-limits.js';

/** PEM files of an HTTPS server. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Authorities whose client certificates are believed. Clients are requested to send one, and also served without. */
  readonly clientCa?: string | undefined;
}

/** What one client may cost. Times in milliseconds. */
export interface ServerLimits extends RequestLimits {
  /** Bytes of request line and header block together (431). */
  readonly headerBytes: number;
  /** Until the header block has arrived (408). */
  readonly headerTimeout: number;
  /** Until the whole request has arrived (408). */
  readonly requestTimeout: number;
  /** A connection without a request. */
  readonly keepAliveTimeout: number;
  /** A client that takes none of the response. */
  readonly writeTimeout: number;
  /** Connections at a time, of all clients together; those beyond it are closed as they come. */
  readonly maxConnections: number;
  /** Refused byte streams a second that get the full answer and a record; the rest get a short one and are counted. */
  readonly refusalsPerSecond: number;
}

/** Header block 16 KiB; 15 s, 60 s and 5 s; 10,000 connections; 200 full refusals a second. */
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
  /** Answers a request, valid or not (`source.failure` says why not). What it throws becomes a plain 500. */
  readonly handle: (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;
  /** Called once for each answer, after the last byte or when the client has gone. A stop waits for its promises. */
  readonly terminate?: (
    request: HttpRequest,
    response: HttpResponse,
    sent: SentResponse,
  ) => void | Promise<void>;
  /** Errors that no client is to see: thrown by `handle` or `terminate`, or by a body's stream. */
  readonly onError?: (error: unknown, request?: HttpRequest) => void;
  /** Whether answers may be an `UpgradeResponse`. Else `Upgrade` is ignored, as HTTP allows. */
  readonly takesUpgrades?: boolean;
  readonly limits?: Partial<ServerLimits>;
  readonly trust?: TrustPolicy | undefined;
  readonly tls?: TlsFiles | undefined;
  /** Headers of the answers that are sent without calling `handle`: refusals over the rate and last-resort 500s. */
  readonly plainHeaders?: Readonly<Record<string, string>>;
}
