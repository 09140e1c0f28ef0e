import { decodePath } from './decode-path.js';
import { Scope } from '#scope';
import { parseCookies } from './parse-cookies.js';
import { RequestHeaders } from './request-headers.js';
import type { Peer, RequestSource } from './request-source.js';
import type { TrustPolicy } from './trust-policy.js';

export interface HttpRequestOptions {
  readonly scope?: Scope;
  readonly trust?: TrustPolicy;
}

/**
 * A request. Everything is worked out when it is first asked for; whatever can be wrong with it throws a
 * `BadRequestError` there, and the kernel asks for all of it once, before routing.
 */
export class HttpRequest {
  readonly source: RequestSource;
  readonly headers: RequestHeaders;
  /** The request's own state; nothing about a request is kept anywhere else. */
  readonly scope: Scope;
  readonly trust: TrustPolicy | undefined;
  #path: string | undefined;
  #query: URLSearchParams | undefined;
  #cookies: ReadonlyMap<string, string> | undefined;

  constructor(source: RequestSource, options: HttpRequestOptions = {}) {
    this.source = source;
    this.headers = new RequestHeaders(source.rawHeaders);
    this.scope = options.scope ?? new Scope();
    this.trust = options.trust;
  }

  get method(): string {
    return this.source.method;
  }

  get peer(): Peer {
    return this.source.peer;
  }

  /** Path as sent, percent-encoding kept. */
  get rawPath(): string {
    const { target } = this.source;
    const end = target.indexOf('?');
    return end === -1 ? target : target.slice(0, end);
  }

  /** Query as sent, without the question mark. */
  get rawQuery(): string {
    const { target } = this.source;
    const start = target.indexOf('?');
    return start === -1 ? '' : target.slice(start + 1);
  }

  /** Path decoded once: what the router, the firewall and every other guard compare. */
  get path(): string {
    return (this.#path ??= decodePath(this.rawPath));
  }

  get query(): URLSearchParams {
    return (this.#query ??= new URLSearchParams(this.rawQuery));
  }

  get cookies(): ReadonlyMap<string, string> {
    return (this.#cookies ??= parseCookies(this.headers.get('cookie') ?? ''));
  }

  get scheme(): 'http' | 'https' {
    return this.peer.encrypted ? 'https' : 'http';
  }

  /** Host name in lower case, without port. */
  get host(): string {
    const host = this.headers.get('host') ?? '';
    const end = host.startsWith('[') ? host.indexOf(']') + 1 : host.indexOf(':');
    return (end > 0 ? host.slice(0, end) : host).toLowerCase();
  }

  /** Port that was asked for; the scheme's default where none was named. */
  get port(): number {
    const host = this.headers.get('host') ?? '';
    const port = /:(\d{1,5})$/.exec(host)?.[1];
    return port === undefined ? (this.scheme === 'https' ? 443 : 80) : Number(port);
  }

  /** Scheme, host, and port when it is not the scheme's default: `http://127.0.0.1:8000`. */
  get origin(): string {
    const standard = this.scheme === 'https' ? 443 : 80;
    return `${this.scheme}://${this.host}${this.port === standard ? '' : `:${this.port}`}`;
  }

  /** Absolute URL as sent, without the query. */
  get url(): string {
    return this.origin + this.rawPath;
  }
}
