import type { Redactor } from '#dump';

const maxCached = 2000;
const maxCachedLength = 500;

/**
 * Texts that come again and again (messages, files, names), through the redactor. One that was looked through and found
 * clean is not looked through again; one with a secret in it is not remembered.
 */
export class CleanWords {
  readonly #redactor: Redactor;
  readonly #clean = new Set<string>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Whether it came before, and is clean. */
  knows(text: string): boolean {
    return this.#clean.has(text);
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
