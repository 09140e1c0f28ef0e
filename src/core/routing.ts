/**
 * Maps path, method and host to a named route with parameters, and back to URLs. Independent of HTTP objects and
 * controllers.
 */
export { createRoutes, RouteCollection, type RouteCollector } from './routing/define/route-collection.js';
export type { GroupDefinition, RouteParameters, RouteRedirect } from './routing/define/route.js';
export type { PathOption, RouteDefinition, SharedRouteOptions } from './routing/define/route.js';
export type { MatchContext, MatchResult, Route, RouteCondition } from './routing/define/route.js';
export { compileRoutes, type CompiledRoutes } from './routing/compile/compile-routes.js';
export { matchRoute, decodePath, ResourceNotFoundError } from './routing/match/match-route.js';
export { generateUrl, encodePath, defineRoutes, type UrlType } from './routing/generate/generate-url.js';
export { parseBasePath, withoutBasePath } from './routing/generate/base-path.js';
export type { UrlContext, UrlOptions } from './routing/generate/generate-url.js';
export { explainMatch, type MatchTrace, type TraceRow } from './routing/explain/explain-match.js';
export type { NearMiss } from './routing/explain/explain-match.js';
export { lintRoutes, type RouteFinding } from './routing/explain/lint-routes.js';
export type { Flat, GenerateUrl, GroupParametersOf, MatchParametersOf } from './routing/define/path-types.js';
export type { RegisteredRoutes, UrlArguments, UrlParametersOf } from './routing/define/path-types.js';
export { Requirement } from './routing/pattern/requirement.js';
export { routePath, sharedRouteTypes } from './routing/define/route.js';
