import { performance } from 'node:perf_hooks';
import type { HttpRequest } from '#http';
import type { MatchTrace } from '#routing';

/** Share of the time that explaining where requests went may take: misses more than matches, which explain themselves. */
const budgetShares = { match: 0.002, miss: 0.2 };
/** Milliseconds at hand after a quiet time: every request of a person at work is explained. */
const maxBudgetMs = 50;

/**
 * Explaining a match tries every route, a few microseconds each. One request at a time that is nothing; under load it
 * would cost more than the request. So there is an account of time that fills slowly.
 */
export class TraceBudget {
  readonly #left = { match: maxBudgetMs, miss: maxBudgetMs };
  #filled = performance.now();

  /** The trace of a request that began at `start`, or null where there is no time for it. */
  take(
    explain: (request: HttpRequest) => MatchTrace,
    given: { readonly request: HttpRequest; readonly start: number; readonly isMiss: boolean },
  ): MatchTrace | null {
    const { request, start, isMiss } = given;
    const left = this.#left;
    // Requests end in another order than they began in.
    const passed = Math.max(0, start - this.#filled);
    this.#filled += passed;
    left.match = Math.min(maxBudgetMs, left.match + passed * budgetShares.match);
    left.miss = Math.min(maxBudgetMs, left.miss + passed * budgetShares.miss);
    const kind = isMiss ? 'miss' : 'match';
    if (left[kind] <= 0) return null;
    const begun = performance.now();
    const trace = explain(request);
    left[kind] -= performance.now() - begun;
    return trace;
  }
}
