import type { RequestHeaders } from '../headers/request-headers.js';

interface Convertible {
  readonly method: string;
  readonly url: string;
  readonly rawQuery: string;
  readonly headers: RequestHeaders;
  readonly body: ReadableStream<Uint8Array>;
  readonly signal: AbortSignal;
  readonly source: { readonly body?: unknown };
}

/** Converts to a web `Request`. Throws a TypeError for the methods that one does not allow: CONNECT, TRACE. */
export function toWebRequest(request: Convertible): Request {
  const headers = new Headers();
  for (const [name, value] of request.headers) headers.append(name, value);
  const url = request.rawQuery === '' ? request.url : `${request.url}?${request.rawQuery}`;
  const { method, signal } = request;
  if (method === 'GET' || method === 'HEAD' || request.source.body === undefined) {
    return new Request(url, { method, headers, signal });
  }
  const init: RequestInit & { duplex: 'half' } = {
    method,
    headers,
    signal,
    body: request.body,
    duplex: 'half',
  };
  return new Request(url, init);
}
