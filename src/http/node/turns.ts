/**
 * Does what falls due all at once, time-outs of thousands of connections for example, one thing for each turn of the
 * event loop, so that everybody else is served in between. What comes alone is done at once.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** `work` must not throw. */
  take(work: () => void): void {
    if (this.#isTaken) {
      this.#waiting.push(work);
      return;
    }
    this.#isTaken = true;
    setImmediate(this.#next);
    work();
  }

  readonly #next = (): void => {
    const work = this.#waiting.shift();
    if (work === undefined) {
      this.#isTaken = false;
      return;
    }
    setImmediate(this.#next);
    work();
  };
}
