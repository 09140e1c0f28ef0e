/** Controllers: finds the function that answers a route, resolves its arguments, and validates input and output. */
export { declaredArguments, resolveController } from './controller/resolve-controller.js';
export type { ControllerOptions } from './controller/resolve-controller.js';
export type {
  Around,
  Controller,
  ControllerClass,
  ControllerTarget,
  NextLayer,
  ResolvedController,
} from './controller/controller-target.js';
export { resolveArguments } from './controller/resolve-arguments.js';
export type { ArgumentSource, ValueResolver } from './controller/value-resolver.js';
export { controllerFunction, isClass } from './controller/controller-target.js';
export { ControllerContext, type ContextServices } from './controller/controller-context.js';
export { controllerArguments, withArguments, type ReadsParameters } from './controller/with-arguments.js';
export { withSchemas, type DeclaresSchemas, type SchemaContext } from './controller/with-schemas.js';
export { routeSchemas, schemasOf, takesUpgrades } from './controller/route-schemas.js';
export type { RouteOperation, RouteSchemas } from './controller/route-schemas.js';
export { requireRouteParameters } from './controller/require-route-parameters.js';
export {
  queryParameter,
  queryParameters,
  routeParameter,
} from './controller/resolvers/parameter-resolvers.js';
export type { QueryOptions, RouteParameterResolver } from './controller/resolvers/parameter-resolvers.js';
export { formBody, jsonBody, requestBody, uploadedFile } from './controller/resolvers/body-resolvers.js';
export type { FileOptions } from './controller/resolvers/body-resolvers.js';
export {
  cookieValue,
  currentLocale,
  currentRequest,
  fixedValue,
  headerValue,
} from './controller/resolvers/request-resolvers.js';
export { toOneOf, toBoolean, toDate, toInteger, toNumber } from './controller/resolvers/text-converters.js';
export type { TextConverter } from './controller/resolvers/text-converters.js';
export { readContent, requireContent, type ContentKind } from './controller/read-content.js';
export { validateValue, ValidationError } from './controller/validation-error.js';
export type { Violation } from '#errors';
export type { SchemaIssue, SchemaResult, StandardSchema } from './controller/standard-schema.js';
