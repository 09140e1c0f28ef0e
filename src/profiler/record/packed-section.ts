import type { WordWriter } from './word-writer.js';

/** What a packed section is, in front of it. */
export const sectionForm = { db: 1 } as const;

/**
 * A section that writes itself, for facts that are clean and bounded from the start: they need neither a copy nor
 * another look for secrets. What it holds does not change any more.
 */
export abstract class PackedSection {
  readonly #isPacked = true;
  readonly form: number;

  constructor(form: number) {
    this.form = form;
  }

  /** Whether it is one; runs no code of what it is not. */
  static isOne(data: unknown): data is PackedSection {
    return typeof data === 'object' && data !== null && #isPacked in data && data.#isPacked;
  }

  /** `start` of the request, on the monotonic clock in milliseconds. */
  abstract write(pack: WordWriter, start: number): void;
}
