import { randomKey } from './token-codec.js';

/** Gives records fresh keys whose own are taken or come twice: which must not happen, and must not cost a record if it does. */
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
