import type { Redactor } from '#dump';

const maxCached = 2000;
const maxCachedLength = 500;

/**
 * Texts of the program that come again and again (files, names of functions), through the redactor. One that was looked
 * through and found clean is not looked through again; one with a secret in it is not remembered. Not for texts that a
 * request may have brought: those must not outlive it.
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
