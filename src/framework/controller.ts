/** Controllers: finds the function that handles a route, resolves its arguments, and validates input and output. */
export { resolveController } from './controller/resolve-controller.js';
export { requireRouteParameters, type ControllerOptions } from './controller/resolve-controller.js';
export type {
  Answers,
  Around,
  Controller,
  ControllerClass,
  ControllerTarget,
  NextLayer,
  ResolvedController,
} from './controller/controller-target.js';
export { resolveArguments, controllerArguments, withArguments } from './controller/resolve-arguments.js';
export type { ValueResolver, ReadsParameters } from './controller/resolve-arguments.js';
export { controllerFunction, isClass } from './controller/controller-target.js';
export { ControllerContext, type ContextServices } from './controller/controller-context.js';
export { withSchemas, routeSchemas, schemasOf, takesUpgrades } from './controller/route-schemas.js';
export type { SchemaContext, RouteOperation, RouteSchemas } from './controller/route-schemas.js';
export type { SchemaIssue, SchemaResult, StandardSchema } from './controller/validation-error.js';
export { emptyForm, isChosen, readForm, readContent, requireContent } from './controller/read-content.js';
export type { ReceivedForm, ContentKind } from './controller/read-content.js';
export { queryParameter, routeParameter, cookieValue, type TextConverter } from './controller/resolvers.js';
export { currentRequest, headerValue, toOneOf, toBoolean, toInteger } from './controller/resolvers.js';
export type { QueryOptions, RouteParameterResolver } from './controller/resolvers.js';
export { formBody, requestBody, type BodyOptions } from './controller/resolvers.js';
export { standardSchema, validateValue, ValidationError } from './controller/validation-error.js';
export type { ValidationSource } from './controller/validation-error.js';
export type { Violation } from '#core/errors';
export { operationSchema } from './controller/route-schemas.js';
