import { guardTimer } from '../model/guard-timer.js';

const reportIntervalMs = 60_000;

/** Failures inside the profiler: all are counted, and one a minute is told. */
export class FailureNotes {
  count = 0;
  readonly #tell: ((error: unknown) => void) | undefined;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(tell: ((error: unknown) => void) | undefined) {
    this.#tell = tell;
  }

  readonly note = (error: unknown): void => {
    this.count++;
    const now = performance.now();
    if (this.#tell === undefined || now - this.#toldAt < reportIntervalMs) return;
    this.#toldAt = now;
    guardTimer(
      () => this.#tell?.(error),
      () => this.count++,
    )();
  };
}
