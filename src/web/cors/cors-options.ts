import type { HttpRequest } from '#http';

export interface CorsOptions {
  /**
   * Whose pages may read the answers: `'*'` (default), a list of origins (`https://app.example.org`, and with a star for
   * the subdomains, `https://*.example.org`), or a function that decides.
   */
  readonly origins?: '*' | readonly string[] | ((origin: string, request: HttpRequest) => boolean);
  /** Whether browsers send cookies and logins along. Default false; cannot be had with `'*'`. */
  readonly credentials?: boolean;
  /** Default: GET, HEAD, POST, PUT, PATCH, DELETE. */
  readonly methods?: readonly string[];
  /** Request headers that pages may set. Default: those that they request. */
  readonly allowedHeaders?: readonly string[];
  /** Response headers that pages may read, in addition to the simple ones. */
  readonly exposedHeaders?: readonly string[];
  /** Seconds that a browser may keep the answer to a preflight. Default 600. */
  readonly maxAge?: number;
  /** Only these paths and everything below them. Default: all. */
  readonly paths?: readonly string[];
}
