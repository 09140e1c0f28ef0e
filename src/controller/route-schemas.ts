import { type AttributeType, attributesOf, defineAttribute } from '#attributes';
import { controllerFunction } from './controller-target.js';
import type { StandardSchema } from './standard-schema.js';

/** Schemas for the inputs and the output of a controller, of any Standard Schema library (Zod, Valibot, ArkType …). */
export interface RouteSchemas {
  /** The route parameters, as converted by the route. */
  readonly params?: StandardSchema;
  /** The query: a string for each name, a list if the name is repeated or ends in `[]`; `a[b]` is nested. */
  readonly query?: StandardSchema;
  /** The header fields by their lower-case names. */
  readonly headers?: StandardSchema;
  /** The body: JSON, or a form as a record. */
  readonly body?: StandardSchema;
  /** The result of the controller, unless it is a response. The output of the schema is sent. */
  readonly response?: StandardSchema;
  /** Status of the response if the result is not a response. Default 200. */
  readonly status?: number;
}

/** Description of a route, for OpenAPI and other descriptions of an application. */
export interface RouteOperation {
  /** One line of text. */
  readonly summary?: string;
  /** Markdown (CommonMark). */
  readonly description?: string;
  /** Groups of operations. Default: the name of the controller class, if there is one. */
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  /** Unique in the document. Default: the name of the route. */
  readonly operationId?: string;
  /** Description of the successful response. Default: the reason phrase of its status. */
  readonly responseDescription?: string;
  /** Descriptions of further responses, by status. From 400 on, their body is a problem document. */
  readonly responses?: Readonly<Record<number, string>>;
}

/** Marks a controller as one that switches protocols: a server accepts upgrades only if it has such a controller. */
export const takesUpgrades: AttributeType<true> = defineAttribute<true>('takesUpgrades');

/** Attribute with the schemas of a controller; as decorator of a method: `@routeSchemas.on({ body })`. */
export const routeSchemas: AttributeType<RouteSchemas> = defineAttribute<RouteSchemas>('schemas');

/** Returns the schemas that a controller declares, for code that describes the route: OpenAPI, a client, a page. */
export function schemasOf(target: unknown): RouteSchemas | undefined {
  const declaredOn = controllerFunction(target);
  return declaredOn === undefined ? undefined : attributesOf(routeSchemas, declaredOn).at(-1);
}
