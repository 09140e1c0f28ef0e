import { randomKey } from './token-codec.js';

/**
 * Replaces keys that are already in use or occur twice by fresh ones. Such keys should not exist, but must not cost a
 * record.
 */
export class TakenKeys {
  readonly #isTaken: (key: number) => boolean;
  readonly #used = new Set<number>();
  renamed = 0;

  constructor(isTaken: (key: number) => boolean) {
    this.#isTaken = isTaken;
  }

  replace(keys: readonly number[]): readonly number[] {
    return keys.map((key) => {
      if (!this.#used.has(key) && !this.#isTaken(key)) {
        this.#used.add(key);
        return key;
      }
      this.renamed++;
      return randomKey();
    });
  }
}
