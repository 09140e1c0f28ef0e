/**
 * Path, method and host to named route and parameters, and back. Knows no HTTP object and no controller.
 */
export { createRoutes, RouteCollection } from './routing/route-collection.js';
export type { RouteAlias, RouteCollector } from './routing/route-collection.js';
export type {
  AliasOptions,
  GroupDefinition,
  PathOption,
  RouteDefinition,
  SharedRouteOptions,
} from './routing/route-definition.js';
export type {
  Converter,
  MatchContext,
  MatchResult,
  Route,
  RouteCondition,
  RouteParameters,
  RouteRedirect,
} from './routing/route.js';
export { compileRoutes } from './routing/compile-routes.js';
export type { CompiledRoutes } from './routing/compile-routes.js';
export { matchRoute } from './routing/match-route.js';
export { generateUrl } from './routing/generate-url.js';
export type { UrlContext, UrlOptions, UrlType } from './routing/generate-url.js';
export { encodePath } from './routing/encode-url.js';
export { explainMatch } from './routing/explain-match.js';
export type { MatchTrace, TraceRow } from './routing/explain-match.js';
export { lintRoutes } from './routing/lint-routes.js';
export type { RouteFinding } from './routing/lint-routes.js';
export type { NearMiss } from './routing/near-misses.js';
export { createTypedUrl, defineRoutes, groupRoutes } from './routing/typed-urls.js';
export type { TypedUrl } from './routing/typed-urls.js';
export type { MatchParametersOf, UrlParametersOf } from './routing/path-types.js';
export { day, integer, oneOf } from './routing/converters.js';
export { decodePath } from './routing/decode-path.js';
export { Requirement } from './routing/requirement.js';
export { MethodNotAllowedRouteError, ResourceNotFoundError } from './routing/routing-failures.js';
