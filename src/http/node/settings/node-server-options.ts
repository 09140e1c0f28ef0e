import type { HttpRequest } from '../../request/http-request.js';
import type { HttpResponse } from '../../response/http-response.js';
import type { SentResponse } from '../../response/sent-response.js';
import type { TrustPolicy } from '../../trust/create-trust-policy.js';
import type { ServerLimits } from './server-limits.js';

/** PEM files of an HTTPS server. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Authorities whose client certificates are believed. Clients are requested to send one, and also served without. */
  readonly clientCa?: string | undefined;
}

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
