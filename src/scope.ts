/** Values that live exactly as long as one request. Contains the only AsyncLocalStorage of the package. */
export { createScopeKey, Scope, type ScopeKey } from './scope/scope.js';
export { currentScope, runInScope, runOutsideRequests, bindScope } from './scope/scope.js';
export { isReportedAbove, reportAsOne } from './scope/scope.js';
