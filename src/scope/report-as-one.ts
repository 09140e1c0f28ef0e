import { currentScope, runInScope } from './current-scope.js';
import { createScopeKey, Scope } from './scope.js';

const reportedAsOne = createScopeKey<true>('reported as one');

/**
 * Runs work that its caller reports as one fact (a query of an ORM): lower layers (the driver) then report nothing of
 * their own. Outside of requests it only runs the work.
 */
export function reportAsOne<Result>(work: () => Result): Result {
  const scope = currentScope();
  if (scope === undefined) return work();
  const inner = new Scope(scope);
  inner.set(reportedAsOne, true);
  return runInScope(inner, work);
}

/** Whether a caller already reports what this code does. */
export function isReportedAbove(): boolean {
  return currentScope()?.get(reportedAsOne) === true;
}
