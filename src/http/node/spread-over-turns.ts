/**
 * Does what falls due all at once, time-outs of thousands of connections for example, only so many things in each turn
 * of the event loop, so that everybody else is served in between. What comes alone is done at once.
 */
export class SpreadOverTurns {
  readonly #perTurn: number;
  readonly #waiting: (() => void)[] = [];
  #left: number;
  #isCounting = false;

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
    this.#left = perTurn;
  }

  /** `work` must not throw. */
  take(work: () => void): void {
    if (!this.#isCounting) {
      this.#isCounting = true;
      setImmediate(this.#next);
    }
    if (this.#left === 0) {
      this.#waiting.push(work);
      return;
    }
    this.#left -= 1;
    work();
  }

  readonly #next = (): void => {
    this.#isCounting = this.#left < this.#perTurn;
    if (!this.#isCounting) return;
    setImmediate(this.#next);
    this.#left = this.#perTurn;
    for (const work of this.#waiting.splice(0, this.#perTurn)) {
      this.#left -= 1;
      work();
    }
  };
}
