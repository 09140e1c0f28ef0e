/**
 * Runs callbacks that become due at the same time, such as the timeouts of thousands of connections, one per event-loop
 * tick, so that other work is served in between. A single callback runs at once.
 */
export class OnePerTick {
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;

  /** Runs `work` now or in a later tick. `work` must not throw. */
  run(work: () => void): void {
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
