/**
 * Values that live exactly as long as one request. The one AsyncLocalStorage of the package is here.
 */
export { createScopeKey } from './scope/scope-key.js';
export type { ScopeKey } from './scope/scope-key.js';
export { Scope } from './scope/scope.js';
export { currentScope, runInScope } from './scope/current-scope.js';
export { isReportedAbove, reportAsOne } from './scope/report-as-one.js';
export { bindScope } from './scope/bind-scope.js';
