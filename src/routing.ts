/**
 * Maps path, method and host to a named route with parameters, and back to URLs. Independent of HTTP objects and controllers.
 */
export {
  createRoutes,
  RouteCollection,
  type RouteAlias,
  type RouteCollector,
} from './routing/define/route-collection.js';
export type {
  AliasOptions,
  GroupDefinition,
  PathOption,
  RouteDefinition,
  SharedRouteOptions,
  Converter,
  MatchContext,
  MatchResult,
  Route,
  RouteCondition,
  RouteParameters,
  RouteRedirect,
} from './routing/define/route.js';
export { compileRoutes, type CompiledRoutes } from './routing/compile/compile-routes.js';
export { matchRoute } from './routing/match/match-route.js';
export {
  generateUrl,
  type UrlContext,
  type UrlOptions,
  type UrlType,
} from './routing/generate/generate-url.js';
export { encodePath } from './routing/generate/encode-url.js';
export {
  explainMatch,
  type MatchTrace,
  type TraceRow,
  type NearMiss,
} from './routing/explain/explain-match.js';
export { lintRoutes, type RouteFinding } from './routing/explain/lint-routes.js';
export { createTypedUrl, defineRoutes, groupRoutes, type TypedUrl } from './routing/generate/typed-urls.js';
export type { MatchParametersOf, UrlParametersOf } from './routing/define/path-types.js';
export { day, integer, oneOf } from './routing/define/converters.js';
export { decodePath } from './routing/match/decode-path.js';
export { Requirement } from './routing/pattern/requirement.js';
export { MethodNotAllowedRouteError, ResourceNotFoundError } from './routing/match/routing-failures.js';
