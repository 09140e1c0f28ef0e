import { guardTimer } from '../model/guard-timer.js';

const reportIntervalMs = 60_000;

/** Counts internal failures of the profiler, and reports at most one per minute. */
export class FailureNotes {
  count = 0;
  readonly #report: ((error: unknown) => void) | undefined;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(report: ((error: unknown) => void) | undefined) {
    this.#report = report;
  }

  readonly note = (error: unknown): void => {
    this.count++;
    const now = performance.now();
    if (this.#report === undefined || now - this.#reportedAt < reportIntervalMs) return;
    this.#reportedAt = now;
    guardTimer(
      () => this.#report?.(error),
      () => this.count++,
    )();
  };
}
