import type { Redactor } from '#dump';

const maxCached = 2000;
const maxCachedLength = 500;

/**
 * Redacts recurring texts of the program (names of files and functions), and caches those without secrets so that they are
 * not scanned again. Not for texts that may contain data of a request, which must not outlive it.
 */
export class RedactionCache {
  readonly #redactor: Redactor;
  readonly #clean = new Set<string>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  take(text: string): string {
    if (this.#clean.has(text)) return text;
    const clean = this.#redactor.text(text);
    if (clean !== text || text.length > maxCachedLength) return clean;
    if (this.#clean.size >= maxCached) this.#clean.clear();
    this.#clean.add(text);
    return text;
  }
}
