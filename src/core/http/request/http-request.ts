import { negotiateType } from '#core/negotiation';
import { safely } from '#core/coded-error';
import { bytes, checkOptions, type OptionsSchema, optionsSchema, required } from '#core/options';
import { decodePath, withoutBasePath } from '#core/routing';
import { Scope } from '#core/scope';
import type { FormBody } from '../body/form-body.js';
import { type BodyWait, RequestBody } from '../body/request-body.js';
import { badRequest, unsupportedMediaType, httpErrors } from '../failures/error-codes.js';
import { parseCookies } from '../headers/cookies.js';
import { type MediaType, parseMediaType } from '../headers/parameters.js';
import { RequestHeaders } from '../headers/request-headers.js';
import {
  type RequestLimits,
  defaultRequestLimits,
  type Peer,
  type RequestSource,
  type RequestTarget,
  readRequestTarget,
} from '../source/request-source.js';
import { type TrustPolicy, readForwardedFacts, readForwardedPrefix } from '../trust/trust-policy.js';
import { type HostPort, parseHost, unnamedHost } from '../trust/ip-address.js';

interface OpenBodyOptions {
  readonly maxBytes: number;
}

export const openBodySchema: OptionsSchema<OpenBodyOptions> = optionsSchema<OpenBodyOptions>({
  maxBytes: required(bytes({ orInfinity: true })),
});

export interface HttpRequestOptions {
  readonly scope?: Scope | undefined;
  readonly trust?: TrustPolicy | undefined;
  readonly limits?: RequestLimits | undefined;
  readonly stopping?: AbortSignal | undefined;
  /** Ignores X-HTTP-Method-Override, for servers that are only watched. Default false. */
  readonly keepsMethod?: boolean;
}

/**
 * A request. Each part is computed on first use and cached. Reading an invalid part throws a coded error;
 * `validateRequest` checks everything that can be checked before routing.
 */
export class HttpRequest {
  readonly source: RequestSource;
  /** The immutable header fields. */
  readonly headers: RequestHeaders;
  /** Holds all of the request's state. */
  readonly scope: Scope;
  readonly trust: TrustPolicy | undefined;
  readonly limits: RequestLimits;
  /** Aborted when the server begins to stop, so that long-lived responses can end. Absent without a server. */
  readonly stopping: AbortSignal | undefined;
  /** Set for a refused request: unreadable parts then have fallback values instead of throwing. */
  #isRefused: boolean;
  readonly #keepsMethod: boolean;
  #method: string | undefined;
  #target: RequestTarget | undefined;
  #resolvedOrigin: RequestOrigin | undefined;
  #origin: string | undefined;
  #path: string | undefined;
  #location: RequestLocation | undefined;
  #query: URLSearchParams | undefined;
  #cookies: ReadonlyMap<string, string> | undefined;
  #mediaType: MediaType | undefined;
  #body: RequestBody | undefined;
  #web: Request | undefined;
  #signal: AbortSignal | undefined;

  constructor(source: RequestSource, options?: HttpRequestOptions) {
    this.source = source;
    this.headers = source.headers ?? new RequestHeaders(source.rawHeaders);
    this.scope = options?.scope ?? new Scope();
    this.trust = options?.trust;
    this.limits = options?.limits ?? defaultRequestLimits;
    this.stopping = options?.stopping;
    this.#isRefused = source.failure !== undefined;
    this.#keepsMethod = options?.keepsMethod === true;
  }

  /**
   * Marks the request as invalid. From now on the getters below never throw: they return what can be read, and empty or
   * raw text for the rest, so that listeners and the error page can continue. No controller may run for it.
   */
  refuse(): void {
    this.#isRefused = true;
  }

  /**
   * The method; a POST may override it with X-HTTP-Method-Override, and a form with `_method` if a route allows it. The
   * method as sent is `source.method`.
   */
  get method(): string {
    if (this.source.method !== 'POST' || this.#keepsMethod) return this.source.method;
    return (this.#method ??= this.#overriddenMethod());
  }

  /** Overrides the method as sent with the method given in a form. Throws `HTTP_METHOD_OVERRIDE`. */
  overrideMethod(method: string): void {
    this.#method = parseMethodOverride(method);
  }

  get peer(): Peer {
    return this.source.peer;
  }

  /** Path as sent, percent-encoding kept, without the base path; empty if the base path itself was requested. */
  get rawPath(): string {
    return this.#located().rawPath;
  }

  /**
   * Path below which the client reaches the application, without a trailing slash: `/app`, or an empty string. Taken
   * from a trusted proxy's X-Forwarded-Prefix, otherwise from the configuration.
   */
  get basePath(): string {
    return this.#located().basePath;
  }

  /** Path and query as the client sent them, with the part of the base path that a proxy has removed. */
  get publicTarget(): string {
    const { target } = this.source;
    return target.startsWith('/') ? this.#located().removed + target : target;
  }

  /** Query as sent, without the question mark. */
  get rawQuery(): string {
    return this.target.rawQuery;
  }

  /** The parsed request target (RFC 9112 section 3.2). Never throws: the form of an invalid target is `unknown`. */
  get target(): RequestTarget {
    return (this.#target ??= readRequestTarget(this.source.method, this.source.target));
  }

  /** The path, percent-decoded once. Router, firewall and all other guards compare this value. */
  get path(): string {
    return (this.#path ??= this.#orShown(
      () => decodePath(this.rawPath),
      () => this.rawPath,
    ));
  }

  get query(): URLSearchParams {
    return (this.#query ??= new URLSearchParams(this.rawQuery));
  }

  /** Cookie name → value; malformed parts of a value stay as sent. */
  get cookies(): ReadonlyMap<string, string> {
    return (this.#cookies ??= parseCookies(this.headers.get('cookie') ?? ''));
  }

  get scheme(): 'http' | 'https' {
    return this.#resolved().scheme;
  }

  /**
   * Host name in lower case, without port; an IPv6 address in brackets; `0.0.0.0` if an HTTP/1.0 request names none.
   */
  get host(): string {
    return this.#resolved().host;
  }

  /** The requested port; the scheme's default if none was named. */
  get port(): number {
    return this.#resolved().port;
  }

  /** Scheme, host, and port when it is not the scheme's default: `http://127.0.0.1:8000`. */
  get origin(): string {
    return (this.#origin ??= originOf(this.#resolved()));
  }

  /** Absolute URL as sent, without the query. */
  get url(): string {
    const { form, rawPath } = this.target;
    if (form === 'asterisk' || form === 'unknown') return this.origin;
    return this.origin + this.#located().removed + rawPath;
  }

  /**
   * The client's address: the peer's, or the one reported by trusted proxies. Undefined if the peer's is unknown: for
   * `app.fetch` requests without a `peer`, and on Unix sockets.
   */
  get clientAddress(): string | undefined {
    return this.#resolved().clientAddress;
  }

  /** The parsed Content-Type. Throws 415 if it is malformed or repeated. */
  get mediaType(): MediaType | undefined {
    const value = this.headers.get('content-type');
    if (value === undefined) return undefined;
    this.#mediaType ??= parseMediaType(value);
    if (this.#mediaType !== undefined) return this.#mediaType;
    throw unsupportedMediaType(
      httpErrors.create('HTTP_MEDIA_TYPE_MALFORMED', { value: value.slice(0, 200) }),
    );
  }

  get declaredLength(): number | undefined {
    const value = this.headers.get('content-length');
    if (value === undefined) return undefined;
    if (/^\d{1,19}$/.test(value)) return Number(value); // inexact only for numbers above any limit
    throw badRequest(httpErrors.create('HTTP_LENGTH_MALFORMED', { value: value.slice(0, 100) }));
  }

  /** Returns the type in `types` that the client prefers by its Accept header; undefined if it accepts none. */
  accepts(types: readonly string[]): string | undefined {
    return negotiateType(this.headers.get('accept'), types);
  }

  /** Aborted when the client disconnects before the response is finished. */
  get signal(): AbortSignal {
    return (this.#signal ??= this.source.signal ?? neverAborted);
  }

  /** The signal, if anything has read it. */
  get usedSignal(): AbortSignal | undefined {
    return this.#signal;
  }

  /**
   * Returns the whole body. Like the other readers, it may be called repeatedly. Throws 413 if the body exceeds the
   * limit.
   */
  bytes(): Promise<Uint8Array> {
    return this.#content().bytes();
  }

  /**
   * Returns the body as text, decoded by the charset of its media type (default UTF-8). Throws 400 if decoding fails.
   */
  text(): Promise<string> {
    return this.#content().text();
  }

  /**
   * Parses the body as JSON, whatever its media type. Throws 400 if it is malformed, too deep or has a `__proto__` key.
   */
  json(): Promise<unknown> {
    return this.#content().json();
  }

  /**
   * Parses the body as a form. Throws 415 if the media type is not a form's, 400 if the form is malformed, 413 if it is
   * too large.
   */
  form(): Promise<FormBody> {
    return this.#content().form();
  }

  /**
   * The body as a stream, within the same limit. Once you have read this property, the readers above no longer work.
   */
  get body(): ReadableStream<Uint8Array> {
    return this.#content().stream();
  }

  /** Returns the body stream with its own limit instead of `limits.body`, for code that does not keep it in memory. */
  openBody(options: OpenBodyOptions): ReadableStream<Uint8Array> {
    checkOptions('openBody()', options, openBodySchema);
    const { maxBytes } = options;
    return this.#content().stream(maxBytes);
  }

  /** The part of the body that has been read so far; undefined if none. Never reads. */
  get readBytes(): Uint8Array | undefined {
    return this.#body?.read;
  }

  /** Passes each chunk of the body on to an observer, which must not throw, when it is read. Never starts reading. */
  observeBody(observer: (chunk: Uint8Array) => void): void {
    this.#content().observe(observer);
  }

  /** How long reading the body has waited; undefined before it was read. */
  get bodyWait(): BodyWait | undefined {
    return this.#body?.wait;
  }

  /** This request as a web `Request`. Its body is the `body` stream. */
  get web(): Request {
    return (this.#web ??= toWebRequest(this));
  }

  #resolved(): RequestOrigin {
    return (this.#resolvedOrigin ??= this.#orShown(
      () => readRequestOrigin(this),
      () => this.#unknownOrigin(),
    ));
  }

  /** Returns `read()`; if that throws for a refused request, returns `shown()`. */
  #orShown<Value>(read: () => Value, shown: () => Value): Value {
    try {
      return read();
    } catch (error) {
      if (!this.#isRefused) throw error;
      return shown();
    }
  }

  #unknownOrigin(): RequestOrigin {
    const scheme = this.peer.encrypted ? 'https' : 'http';
    return { scheme, host: '', port: defaultPort(scheme), clientAddress: this.peer.address };
  }

  #located(): RequestLocation {
    return (this.#location ??= locate(this));
  }

  #overriddenMethod(): string {
    const override = this.headers.get('x-http-method-override');
    if (override === undefined) return this.source.method;
    return this.#orShown(
      () => parseMethodOverride(override),
      () => this.source.method,
    );
  }

  #content(): RequestBody {
    return (this.#body ??= new RequestBody(this));
  }
}

/** A request's target in relation to the base path. */
interface RequestLocation {
  readonly basePath: string;
  /** The target's path without the base path. */
  readonly rawPath: string;
  /** The base path if the target lacks it, otherwise an empty text. */
  readonly removed: string;
}

/** Never throws: a malformed prefix is ignored here, and the request is refused when its origin is read. */
function locate({ headers, trust, target: { form, rawPath }, peer }: HttpRequest): RequestLocation {
  const isTrusted = peer.address !== undefined && trust?.isTrustedProxy(peer.address) === true;
  const prefix = isTrusted ? safely(() => readForwardedPrefix(headers), undefined) : undefined;
  // The proxy has removed its prefix: removing it again would let `/app/app/admin` pass a proxy rule for `/app/admin`.
  if (prefix !== undefined) return { basePath: prefix, rawPath, removed: prefix };
  const basePath = trust?.basePath ?? '';
  if (basePath === '') return { basePath, rawPath, removed: '' };
  const rest = form === 'origin' || form === 'absolute' ? withoutBasePath(rawPath, basePath) : undefined;
  return rest === undefined
    ? { basePath, rawPath, removed: basePath }
    : { basePath, rawPath: rest, removed: '' };
}

function originOf({ scheme, host, port }: RequestOrigin): string {
  return port === defaultPort(scheme) ? `${scheme}://${host}` : `${scheme}://${host}:${port}`;
}

const neverAborted: AbortSignal = new AbortController().signal;

/** Not allowed as overrides: methods that would make a POST look safe, and those that are not routed. */
const refusedMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE']);

/** The method named by X-HTTP-Method-Override, in upper case. Throws `HTTP_METHOD_OVERRIDE`. */
function parseMethodOverride(value: string): string {
  const method = value.toUpperCase();
  if (!/^[A-Z]{1,32}$/.test(method) || refusedMethods.has(method)) {
    throw httpErrors.create('HTTP_METHOD_OVERRIDE', { method: value.slice(0, 100) });
  }
  return method;
}

/** Converts to a web `Request`. Throws a TypeError for the methods that one does not allow: CONNECT, TRACE. */
function toWebRequest(request: HttpRequest): Request {
  const headers = new Headers([...request.headers]);
  const url = request.rawQuery === '' ? request.url : `${request.url}?${request.rawQuery}`;
  const { method, signal } = request;
  const hasBody = method !== 'GET' && method !== 'HEAD' && request.source.body !== undefined;
  const content = hasBody ? { body: request.body, duplex: 'half' } : {};
  return new Request(url, { method, headers, signal, ...content });
}

/** The media type of a request; undefined also if it is malformed, which is refused when the body is read. */
export function safeMediaType(request: HttpRequest): MediaType | undefined {
  return safely(() => request.mediaType, undefined);
}

/** The origin that the client requested, and the client's address. */
export interface RequestOrigin {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  /** The nearest address that does not belong to a trusted proxy; undefined if the peer's address is unknown. */
  readonly clientAddress: string | undefined;
}

/**
 * Reads the origin from the target, the Host, or a trusted proxy's forwarding headers. Throws a coded error for invalid
 * ones.
 */
export function readRequestOrigin(request: HttpRequest): RequestOrigin {
  const { peer, headers, trust } = request;
  const named = requestedHost(request);
  const scheme = peer.encrypted ? 'https' : 'http';
  const isProxy = peer.address !== undefined && trust?.isTrustedProxy(peer.address) === true;
  const facts = isProxy ? readForwardedFacts(headers) : undefined;
  const seen = facts?.scheme ?? scheme;
  const namedPort = facts?.host === undefined ? named.port : undefined;
  return {
    scheme: seen,
    host: facts?.host ?? named.host,
    port: facts?.port ?? namedPort ?? defaultPort(seen),
    clientAddress: facts === undefined ? peer.address : clientAddress(peer.address, facts.chain, trust),
  };
}

export function defaultPort(scheme: 'http' | 'https'): number {
  return scheme === 'https' ? 443 : 80;
}

/**
 * Returns the first address, from the nearest hop outward, that does not belong to a trusted proxy. Stops before a hop
 * that hides its address.
 */
function clientAddress(
  peer: string | undefined,
  chain: readonly (string | undefined)[],
  trust: TrustPolicy | undefined,
): string | undefined {
  let nearest = peer;
  for (let index = chain.length - 1; index >= 0; index -= 1) {
    const address = chain[index];
    if (address === undefined) return nearest;
    nearest = address;
    if (trust?.isTrustedProxy(address) !== true) return nearest;
  }
  return nearest;
}

function requestedHost({ source, headers, target }: HttpRequest): HostPort {
  const field = headers.get('host');
  // No host contains the comma that joins repeated fields.
  const count = field?.includes(',') === true ? headers.count('host') : 1;
  if (count > 1) throw httpErrors.create('HTTP_HOST_REPEATED', { count });
  const header = field === undefined ? undefined : readHost(field);
  if (source.authority !== undefined) {
    const authority = readHost(source.authority);
    if (field !== undefined && field !== source.authority) throw malformedHost(field);
    return authority;
  }
  if (header === undefined && source.httpVersion !== '1.0') throw httpErrors.create('HTTP_HOST_MISSING', {});
  if (target.authority !== undefined) return readHost(target.authority);
  return header ?? { host: unnamedHost, port: undefined };
}

function readHost(text: string): HostPort {
  const parsed = parseHost(text);
  if (parsed === undefined) throw malformedHost(text);
  return parsed;
}

function malformedHost(text: string): Error {
  return httpErrors.create('HTTP_HOST_MALFORMED', { host: text.slice(0, 300) });
}
