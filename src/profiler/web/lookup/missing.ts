/** Why there is nothing to show, in words, and where to go instead. */
export interface Miss {
  readonly status: 400 | 403 | 404 | 409 | 429 | 502;
  /** Name of the kind for programs: `never-seen`, `purged`, `not-kept`, `not-written`, `malformed`, `unknown-panel`, `too-many-misses`. */
  readonly kind: string;
  readonly title: string;
  readonly detail: string;
  /** Choices that exist, as links. */
  readonly choices?: readonly { readonly label: string; readonly href: string }[];
  readonly retryAfter?: number;
  /** What else a problem document says. */
  readonly more?: object;
}

/** Thrown where there is nothing to show; pages answer it with a page, data with a problem document. */
export class Missing extends Error {
  readonly #miss: Miss;
  constructor(miss: Miss) {
    super(miss.title);
    this.#miss = miss;
  }

  /** What a thrown value says is missing; undefined for any other. Reads nothing that a foreign object could have trapped. */
  static of(thrown: unknown): Miss | undefined {
    return typeof thrown === 'object' && thrown !== null && #miss in thrown ? thrown.#miss : undefined;
  }
}
