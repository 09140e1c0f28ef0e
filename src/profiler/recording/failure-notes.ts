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
    try {
      this.#report(error);
    } catch {
      this.count++;
    }
  };
}

/** Wraps a timer callback: its exception (`EMFILE`, say), which nothing would catch, goes to `failed`; intervals go on. */
export function guardTimer(work: () => void, failed: (error: unknown) => void): () => void {
  return () => {
    try {
      work();
    } catch (error) {
      failed(error);
    }
  };
}
