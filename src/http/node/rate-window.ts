/** Lets so many pass in each second, and counts. */
export class RateWindow {
  readonly #perSecond: number;
  #second = 0;
  #used = 0;
  /** How many passed and how many did not, since the start. */
  passed = 0;
  held = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Whether one more may pass at `now` (milliseconds of a clock that never goes back). */
  take(now: number): boolean {
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#used = 0;
    }
    if (this.#used >= this.#perSecond) {
      this.held += 1;
      return false;
    }
    this.#used += 1;
    this.passed += 1;
    return true;
  }
}
