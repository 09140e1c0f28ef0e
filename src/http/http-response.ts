import { ResponseHeaders } from './response-headers.js';

/** What a response can carry. Streams are sent with back-pressure and are read once. */
export type ResponseBody =
  | string
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>
  | null;

export interface HttpResponseInit {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response: status, headers and body, all of which listeners may change until it is sent. */
export class HttpResponse {
  status: number;
  readonly headers: ResponseHeaders;
  body: ResponseBody;

  constructor(body: ResponseBody = null, init: HttpResponseInit = {}) {
    this.body = body;
    this.status = init.status ?? 200;
    this.headers = new ResponseHeaders(init.headers);
  }

  static text(body: string, init?: HttpResponseInit): HttpResponse {
    return withType(new HttpResponse(body, init), 'text/plain; charset=utf-8');
  }

  static html(body: string, init?: HttpResponseInit): HttpResponse {
    return withType(new HttpResponse(body, init), 'text/html; charset=utf-8');
  }

  /** JSON of `value`. Throws what `JSON.stringify` throws; a value it leaves out (undefined) becomes `null`. */
  static json(value: unknown, init?: HttpResponseInit): HttpResponse {
    return withType(new HttpResponse(JSON.stringify(value) ?? 'null', init), 'application/json');
  }

  static empty(status = 204): HttpResponse {
    return new HttpResponse(null, { status });
  }
}

function withType(response: HttpResponse, type: string): HttpResponse {
  if (!response.headers.has('content-type')) response.headers.set('Content-Type', type);
  return response;
}
