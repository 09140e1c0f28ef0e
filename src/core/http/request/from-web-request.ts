import { checkOptions, flag, type OptionsSchema, optionsSchema, text, whole } from '#core/options';
import { httpErrors } from '../failures/error-codes.js';
import { type HttpRequestOptions, HttpRequest } from './http-request.js';
import { parseIpAddress } from '../trust/ip-address.js';
import { RequestHeaders, listFields } from '../headers/request-headers.js';
import type { Peer, RequestBodySource, RequestSource } from '../source/request-source.js';

/** The remote end of a connection, for a request without its socket. */
export interface PeerInit {
  /** IP address of the socket's remote end; undefined if unknown. Never taken from a header. */
  readonly address: string | undefined;
  readonly port?: number | undefined;
  /** Whether the bytes came over TLS. Default: whether the request's URL is `https:`. */
  readonly encrypted?: boolean | undefined;
}

export const peerSchema: OptionsSchema<PeerInit> = optionsSchema<PeerInit>({
  address: text,
  port: whole({ min: 0, max: 65_535 }),
  encrypted: flag,
});

/** Converts a web `Request`; without a `peer`, no address check trusts it. Throws `HTTP_PEER_INVALID`. */
export function fromWebRequest(
  web: Request,
  options: HttpRequestOptions & { readonly peer?: PeerInit | undefined } = {},
): HttpRequest {
  checkOptions('The peer', options.peer, peerSchema);
  return new HttpRequest(new WebSource(web, options.peer), options);
}

/** Reads signal and body on demand: some runtimes create them on first access, and most requests need neither. */
class WebSource implements RequestSource {
  readonly method: string;
  readonly target: string;
  readonly headers: RequestHeaders;
  readonly httpVersion = '1.1';
  readonly peer: Peer;
  readonly body: RequestBodySource | undefined;
  readonly #web: Request;

  constructor(web: Request, peer: PeerInit | undefined) {
    this.#web = web;
    const { url, headers } = web;
    this.method = web.method;
    const { pathname, search } = new URL(url);
    this.target = pathname + search;
    this.headers = new RequestHeaders(Object.freeze(listFields(headers, url)));
    this.peer = peerOfWebRequest(peer, url);
    const body = this.method === 'GET' ? null : web.body;
    this.body = body === null ? undefined : { chunks: () => body };
  }

  get rawHeaders(): readonly string[] {
    return this.headers.raw;
  }

  get signal(): AbortSignal {
    return this.#web.signal;
  }
}

function peerOfWebRequest(given: PeerInit | undefined, url: string): Peer {
  const address = given?.address;
  if (address !== undefined && parseIpAddress(address) === undefined)
    throw httpErrors.create('HTTP_PEER_INVALID', { address: address.slice(0, 100) });
  const encrypted = given?.encrypted ?? url.startsWith('https:');
  return Object.freeze({ address, port: given?.port ?? 0, encrypted });
}
