/**
 * Values that live exactly as long as one request. The one AsyncLocalStorage of the package is here.
 */
export { createScopeKey, Scope, type ScopeKey } from './scope/scope.js';
export { currentScope, runInScope, bindScope } from './scope/current-scope.js';
export { isReportedAbove, reportAsOne } from './scope/report-as-one.js';
