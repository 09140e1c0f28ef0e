const reportIntervalMs = 60_000;

/** Counts internal profiler failures, and reports at most one per minute. */
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

/**
 * Wraps a timer callback so that its exceptions (for example `EMFILE`) go to `failed` instead of ending the
 * process. Intervals continue.
 */
export function guardTimer(work: () => void, failed: (error: unknown) => void): () => void {
  return () => {
    try {
      work();
    } catch (error) {
      failed(error);
    }
  };
}
