import { performance } from 'node:perf_hooks';
import type { HttpRequest } from '#core/http';
import type { MatchTrace } from '#core/routing';

/**
 * Share of elapsed time available for explaining routes. Misses get more, because matches are mostly
 * self-explanatory.
 */
const budgetShares = { match: 0.002, miss: 0.2 };
/**
 * Maximum budget in milliseconds, reached after an idle period: enough to explain every request during
 * development.
 */
const maxBudgetMs = 50;

/**
 * Time budget for route traces. It refills slowly, because under load, trying every route would cost more
 * than the request.
 */
export class TraceBudget {
  readonly #left = { match: maxBudgetMs, miss: maxBudgetMs };
  #filled = performance.now();

  /** Returns the trace of a request that began at `start`; undefined if the budget is used up. */
  take(
    explain: (request: HttpRequest) => MatchTrace,
    given: { readonly request: HttpRequest; readonly start: number; readonly isMiss: boolean },
  ): MatchTrace | undefined {
    const { request, start, isMiss } = given;
    const left = this.#left;
    // Requests may end in a different order from the one in which they began.
    const passed = Math.max(0, start - this.#filled);
    this.#filled += passed;
    left.match = Math.min(maxBudgetMs, left.match + passed * budgetShares.match);
    left.miss = Math.min(maxBudgetMs, left.miss + passed * budgetShares.miss);
    const kind = isMiss ? 'miss' : 'match';
    if (left[kind] <= 0) return undefined;
    const begun = performance.now();
    const trace = explain(request);
    left[kind] -= performance.now() - begun;
    return trace;
  }
}
