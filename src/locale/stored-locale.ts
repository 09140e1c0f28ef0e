import type { HttpRequest } from '#http';

/** Port: where a visitor's own choice of language is kept (cookie, session, account). */
export interface StoredLocale {
  /** For records: `cookie`, `session`, `user`. */
  readonly name: string;
  /** Request header that it reads, named by `Vary` for caches: `Cookie`. Absent where no shared cache keeps the answer. */
  readonly vary?: string;
  /** The choice as it was stored; anything that is no enabled locale counts as none. */
  read(request: HttpRequest): string | undefined;
}
