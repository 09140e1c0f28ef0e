/** Values that live exactly as long as one request. Contains the only AsyncLocalStorage of the package. */
export { createScopeKey, Scope, type ScopeKey, isReportedAbove, reportAsOne } from './scope/scope.js';
export { callingScope, currentScope, runInScope, runOutsideRequests, bindScope } from './scope/scope.js';
