import type { ProfileTest } from '../model/profile-query.js';

/** Numbers stored as scaled integers: value = (base + stored) / scale. */
export class ScaledNumbers {
  readonly length: number;
  readonly #numbers: ArrayLike<number>;
  readonly #base: number;
  readonly #scale: number;

  constructor(
    numbers: ArrayLike<number>,
    { base, scale }: { readonly base: number; readonly scale: number },
  ) {
    this.length = numbers.length;
    this.#numbers = numbers;
    this.#base = base;
    this.#scale = scale;
  }

  /** Returns a test whether a row lies in one of the ranges. It compares the stored integers, without unscaling each. */
  within(ranges: Extract<ProfileTest, { kind: 'numbers' }>['ranges']): (row: number) => boolean {
    const numbers = this.#numbers;
    const bounds = ranges.map(([least, most]) => [
      this.#firstOf(least ?? Number.NEGATIVE_INFINITY, (value, bound) => value >= bound),
      this.#firstOf(most ?? Number.POSITIVE_INFINITY, (value, bound) => value > bound),
    ]);
    const [[from = 0, to = 0] = []] = bounds;
    if (bounds.length <= 1) return (row) => (numbers[row] ?? -1) >= from && (numbers[row] ?? -1) < to;
    return (row) =>
      bounds.some(([start = 0, end = 0]) => (numbers[row] ?? -1) >= start && (numbers[row] ?? -1) < end);
  }

  /** Returns the first stored integer whose value is beyond a bound. The estimate is adjusted for rounding of the division. */
  #firstOf(bound: number, isBeyond: (value: number, bound: number) => boolean): number {
    let first = Math.ceil(bound * this.#scale - this.#base);
    if (!Number.isFinite(first)) return first;
    while (isBeyond((this.#base + first - 1) / this.#scale, bound)) first--;
    while (!isBeyond((this.#base + first) / this.#scale, bound)) first++;
    return first;
  }

  all(): Float64Array {
    const numbers = new Float64Array(this.#numbers);
    for (let place = 0; place < numbers.length; place++)
      numbers[place] = (this.#base + (numbers[place] ?? 0)) / this.#scale;
    return numbers;
  }

  at(place: number): number {
    return (this.#base + (this.#numbers[place] ?? 0)) / this.#scale;
  }
}
