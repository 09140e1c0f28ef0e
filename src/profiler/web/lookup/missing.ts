/** Explains why there is nothing to show, with links to alternatives. */
export interface Miss {
  readonly status: 400 | 403 | 404 | 409 | 429 | 502;
  /** Machine-readable kind: `never-seen`, `purged`, `not-kept`, `not-written`, `malformed`, `unknown-panel`, … */
  readonly kind: string;
  readonly title: string;
  readonly detail: string;
  /** Available alternatives. */
  readonly choices?: readonly { readonly label: string; readonly href: string }[];
  readonly retryAfter?: number;
  /** Further members of the problem document. */
  readonly more?: object;
}

/** Thrown if there is nothing to show. Page routes render it as a page, data routes as a problem document. */
export class Missing extends Error {
  readonly #miss: Miss;
  constructor(miss: Miss) {
    super(miss.title);
    this.#miss = miss;
  }

  /** Returns the miss of a `Missing`; undefined for any other thrown value. A private-field check that no Proxy can trap. */
  static of(thrown: unknown): Miss | undefined {
    return typeof thrown === 'object' && thrown !== null && #miss in thrown ? thrown.#miss : undefined;
  }
}
