import type { HttpRequestOptions } from './http-request.js';
import { HttpRequest } from './http-request.js';
import type { Peer } from './request-source.js';

const LOCAL_PEER: Peer = Object.freeze({ address: '127.0.0.1', port: 0, encrypted: false });

/**
 * Our request from the web standard's, without a socket. Its peer is a local one unless `peer` says otherwise; whether
 * it is encrypted follows from the URL.
 */
export function fromWebRequest(
  web: Request,
  options: HttpRequestOptions & { readonly peer?: Peer } = {},
): HttpRequest {
  const url = new URL(web.url);
  const rawHeaders: string[] = web.headers.has('host') ? [] : ['host', url.host];
  for (const [name, value] of web.headers) rawHeaders.push(name, value);
  const body = web.body;
  return new HttpRequest(
    {
      method: web.method,
      target: url.pathname + url.search,
      rawHeaders,
      httpVersion: '1.1',
      peer: options.peer ?? { ...LOCAL_PEER, encrypted: url.protocol === 'https:' },
      body: body === null ? undefined : { chunks: () => body },
      signal: web.signal,
    },
    options,
  );
}
