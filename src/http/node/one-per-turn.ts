/**
 * Does what falls due all at once, time-outs of thousands of connections for example, one thing in each turn of the event
 * loop, so that everyone else is served in between. What comes alone is done at once.
 */
export class OnePerTurn {
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;

  /** `work` must not throw. */
  take(work: () => void): void {
    if (this.#isBusy) this.#waiting.push(work);
    else this.#begin(work);
  }

  #begin(work: () => void): void {
    this.#isBusy = true;
    setImmediate(() => {
      const next = this.#waiting.shift();
      if (next === undefined) this.#isBusy = false;
      else this.#begin(next);
    });
    work();
  }
}
