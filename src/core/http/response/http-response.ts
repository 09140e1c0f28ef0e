import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  anObject,
  checkOptions,
  checkValue,
  flag,
  oneOf,
  type OptionsSchema,
  optionsSchema,
  optionType,
  text,
} from '#core/options';
import { httpErrors } from '../failures/error-codes.js';
import { type CookieOptions, renderCookie } from '../headers/cookies.js';
import { createChunkSource, isBodiless, type ResponseBody } from './response-body.js';
import { serialiseJson } from './serialise-json.js';
import { ResponseHeaders } from './response-headers.js';
import { webFields } from './web-fields.js';

interface HttpResponseInit {
  readonly status?: number;
  /** Fields by name, or another response's headers, which are copied. */
  readonly headers?: Readonly<Record<string, string>> | ResponseHeaders;
}

export const responseSchema: OptionsSchema<HttpResponseInit> = optionsSchema<HttpResponseInit>({
  // The status itself is checked when the response is sent: until then, listeners may change it.
  status: optionType('a status, such as 201', Number.isInteger),
  headers: anObject(),
});

interface RedirectOptions {
  readonly status?: 301 | 302 | 303 | 307 | 308;
  readonly external?: boolean;
}

export const redirectSchema: OptionsSchema<RedirectOptions> = optionsSchema<RedirectOptions>({
  status: oneOf(301, 302, 303, 307, 308),
  external: flag,
});

/**
 * A response. The factories refuse content for a status that has none (204, 205, 304): `HTTP_CONTENT_UNSENDABLE`.
 * Listeners may change status, headers and body until it is sent. The response that a controller returns is
 * copied for each request, so a controller may return the same object repeatedly: changes by listeners do not
 * accumulate.
 */
export class HttpResponse {
  status: number;
  readonly headers: ResponseHeaders;
  body: ResponseBody;

  constructor(body: ResponseBody = null, init?: HttpResponseInit) {
    if (init !== undefined && !(init instanceof HttpResponse))
      checkOptions('a response', init, responseSchema);
    this.body = body;
    this.status = init?.status ?? 200;
    this.headers =
      init?.headers instanceof ResponseHeaders ? init.headers.copy() : new ResponseHeaders(init?.headers);
  }

  /** Returns a copy with its own headers. A streamed body is shared, so send only one of the two. */
  copy(): HttpResponse {
    return new HttpResponse(this.body, this);
  }

  /** Makes the response immutable when it is sent: later assignments and header changes throw. */
  seal(): void {
    this.headers.seal();
    Object.freeze(this);
  }

  static text(body: string, init?: HttpResponseInit): HttpResponse {
    return withContent('HttpResponse.text()', new HttpResponse(body, init), 'text/plain; charset=utf-8');
  }

  static html(body: string, init?: HttpResponseInit): HttpResponse {
    return withContent('HttpResponse.html()', new HttpResponse(body, init), 'text/html; charset=utf-8');
  }

  /**
   * Creates a JSON response; undefined becomes `null`, or no content if the status has none. Throws the errors of
   * `JSON.stringify`, and in debug `HTTP_JSON_LOST` for a value that JSON serializes to nothing, such as a promise, a
   * Map, NaN or an invalid date.
   */
  static json(value: unknown, init?: HttpResponseInit): HttpResponse {
    const response = new HttpResponse(null, init);
    const isNothing = value === undefined || value === null;
    if (!isNothing || !isBodiless('GET', response.status)) response.body = serialiseJson(value);
    return withContent('HttpResponse.json()', response, 'application/json');
  }

  /** Creates a response that streams bytes or texts; `application/octet-stream` unless the headers set another type. */
  static stream(body: ResponseBody, init?: HttpResponseInit): HttpResponse {
    return withContent('HttpResponse.stream()', new HttpResponse(body, init), 'application/octet-stream');
  }

  static empty(status = 204): HttpResponse {
    return new HttpResponse(null, { status });
  }

  /**
   * Creates a redirect (default 302). The target is a path on this site, or an http(s) URL with `external: true`; any
   * other throws `HTTP_REDIRECT_UNSAFE`. Spaces and other characters that are invalid in a URL are percent-encoded. The
   * body is plain text, so that a target cannot become markup.
   */
  static redirect(target: string, options: RedirectOptions = {}): HttpResponse {
    checkOptions('HttpResponse.redirect()', options, redirectSchema);
    checkValue('HttpResponse.redirect()', 'target', target, text);
    const location = safeRedirectTarget(target, { external: options.external === true });
    const response = HttpResponse.text(`Redirecting to ${location}\n`, { status: options.status ?? 302 });
    response.headers.set('Location', location);
    response.headers.set('X-Content-Type-Options', 'nosniff');
    return response;
  }

  /**
   * Converts a web `Response`; each Set-Cookie remains a separate field. A `Response` from `fetch()`, whose body is
   * decoded, loses the headers about the compressed body (`Content-Encoding`, `Content-Length`) and about its
   * connection.
   */
  static fromWeb(web: Response): HttpResponse {
    const response = new HttpResponse(web.body, { status: web.status === 0 ? 500 : web.status });
    for (const [name, value] of webFields(web)) response.headers.append(name, value);
    return response;
  }

  /** Converts to a web `Response`. A streamed body is passed on, so send only one of the two. */
  toWeb(): Response {
    const headers = new Headers([...this.headers]);
    const bodiless = isBodiless('GET', this.status);
    return new Response(bodiless ? null : webBody(this.body), { status: this.status, headers });
  }

  /** Adds a cookie (see `renderCookie`). */
  setCookie(name: string, value: string, options?: CookieOptions): this {
    this.headers.append('Set-Cookie', renderCookie(name, value, options));
    return this;
  }

  /** Makes the client delete a cookie. Path and domain must match the ones it was set with. */
  clearCookie(name: string, options?: CookieOptions): this {
    return this.setCookie(name, '', { ...options, maxAge: 0, expires: new Date(0) });
  }
}

/**
 * Sets the type of the content. For a status without content (204, 205, 304) there is no type, and content throws
 * `HTTP_CONTENT_UNSENDABLE`: it would be dropped when the response is sent.
 */
function withContent(location: string, response: HttpResponse, type: string): HttpResponse {
  const { status, body } = response;
  if (isBodiless('GET', status)) {
    if (body === null || body === '') return response;
    throw httpErrors.create('HTTP_CONTENT_UNSENDABLE', { status, location });
  }
  if (!response.headers.has('content-type')) response.headers.append('Content-Type', type);
  return response;
}

function webBody(body: ResponseBody): string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null {
  if (body === null || typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  if (body instanceof ReadableStream) return body;
  const chunks = createChunkSource(body);
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller): Promise<void> {
      const chunk = await chunks.next();
      if (chunk === undefined) controller.close();
      else controller.enqueue(typeof chunk === 'string' ? encoder.encode(chunk) : chunk);
    },
    cancel: () => chunks.stop(),
  });
}

/** Joins a request's raw path and query. Encodes backslashes, which browsers treat as slashes and the router does not. */
export function locationOf(rawPath: string, rawQuery: string): string {
  return rawPath.replaceAll('\\', '%5C') + (rawQuery === '' ? '' : `?${rawQuery}`);
}

/**
 * Validates a redirect target and encodes it for a Location header: a path of this site, or with `external` an http(s)
 * URL. Spaces, control characters and backslashes may come from a visitor's text in the target, so they are
 * percent-encoded. Browsers drop line breaks and treat a backslash as a slash: where that would leave the site
 * (`/\evil.example`), the target is refused.
 */
function safeRedirectTarget(target: string, options: { readonly external: boolean }): string {
  if (target === '') throw unsafe(target, 'is empty');
  if (/^https?:\/\/[^/?#@\\\p{C}\p{Z}]+(?:[/?#]|$)/iu.test(target)) {
    if (!options.external) throw unsafe(target, 'leaves this site');
    return encodeForeign(target);
  }
  // eslint-disable-next-line no-control-regex -- the characters that browsers drop
  const seen = target.replace(/[\t\n\r]+/g, '').replace(/^[\u0000-\u0020]+/, '');
  if (/^[/\\]{2}/.test(seen)) throw unsafe(target, 'leaves this site');
  if (/^[^/?#]*:/.test(target)) throw unsafe(target, 'is not an http(s) URL');
  return encodeForeign(target);
}

/** Percent-encodes backslashes and all but visible ASCII; existing percent-encoding is kept. */
function encodeForeign(target: string): string {
  return target.replace(/(?:[^\x21-\x7e]|\\)+/gu, (text) => encodeURIComponent(text.toWellFormed()));
}

function unsafe(target: string, reason: string): Error {
  return httpErrors.create('HTTP_REDIRECT_UNSAFE', { target: target.slice(0, 300), reason });
}

/** For a client that has disconnected: nothing is sent, and the request counts as aborted, with nginx's status 499. */
export class ClientGoneResponse extends HttpResponse {
  constructor() {
    super(null, { status: 499 });
  }

  override copy(): HttpResponse {
    return new ClientGoneResponse();
  }
}

/** An HTTP/1.1 connection that switches to another protocol. */
export interface UpgradedConnection {
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  /** Bytes that the client has already sent after its request. */
  readonly head: Buffer;
  /** Headers to send in addition to those of the 101 response itself. */
  readonly headers: ResponseHeaders;
  /** Reports an error on the connection, which no client sees: it is logged, and recorded. */
  readonly report: (error: unknown) => void;
}

type TakeConnection = (connection: UpgradedConnection) => void;

/** A 101 response (RFC 9110 section 7.8). Its creator writes the response itself and takes over the connection. */
export class UpgradeResponse extends HttpResponse {
  readonly take: TakeConnection;

  constructor(take: TakeConnection, init: { readonly headers?: ResponseHeaders } = {}) {
    super(null, { status: 101, ...init });
    this.take = take;
  }

  override copy(): HttpResponse {
    return new UpgradeResponse(this.take, { headers: this.headers });
  }
}

/** The response as actually sent to the client; reported by the server after the last byte. */
export interface SentResponse {
  readonly status: number;
  /** Alternating names and values, including those that the server added (Date, Connection …). */
  readonly headers: readonly string[];
  /** The head as written to the connection, from its status line on, if available: `headers` may then be empty. */
  readonly head?: string | undefined;
  /** Bytes of the body that were handed to the connection. */
  readonly bodyBytes: number;
  /** False if the client disconnected or the stream failed before the end. */
  readonly completed: boolean;
}
