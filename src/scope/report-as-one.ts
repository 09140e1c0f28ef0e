import { currentScope, runInScope } from './current-scope.js';
import { createScopeKey, Scope } from './scope.js';

const reportedAsOne = createScopeKey<true>('reported as one');

/**
 * Runs work that its caller reports as a whole, e.g. a query of an ORM. While it runs, `isReportedAbove` is true, so that
 * lower layers such as the driver do not report it a second time. Outside of requests the work is only run.
 */
export function reportAsOne<Result>(work: () => Result): Result {
  const scope = currentScope();
  if (scope === undefined) return work();
  const inner = new Scope(scope);
  inner.set(reportedAsOne, true);
  return runInScope(inner, work);
}

/** Returns whether a caller up the stack already reports the current work with `reportAsOne`. */
export function isReportedAbove(): boolean {
  return currentScope()?.get(reportedAsOne) === true;
}
