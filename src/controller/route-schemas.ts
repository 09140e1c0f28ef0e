import { type AttributeType, attributesOf, defineAttribute } from '#attributes';
import { controllerFunction } from './controller-target.js';
import type { StandardSchema } from './standard-schema.js';

/** Inputs and output of a controller, as schemas of any Standard Schema library (Zod, Valibot, ArkType …). */
export interface RouteSchemas {
  /** The parameters of the route, as its pattern and converters return them. */
  readonly params?: StandardSchema;
  /** The query: a text for each name, a list if the name is repeated or ends in `[]`, `a[b]` nested. */
  readonly query?: StandardSchema;
  /** The header fields by their names in lower case. */
  readonly headers?: StandardSchema;
  /** The body: JSON, or a form as a record. */
  readonly body?: StandardSchema;
  /** The controller's result, unless it is a response. The schema's output is sent. */
  readonly response?: StandardSchema;
  /** Status of the answer if the result is not a response. Default 200. */
  readonly status?: number;
}

/** What people and programs that read the description of an application learn about a route. */
export interface RouteOperation {
  /** One line. */
  readonly summary?: string;
  /** Markdown (CommonMark). */
  readonly description?: string;
  /** Groups of operations. Default: the name of the controller class, if there is one. */
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  /** Unique in the document. Default: the name of the route. */
  readonly operationId?: string;
  /** What the answer of the status of success means. Default: its reason phrase. */
  readonly responseDescription?: string;
  /** Further answers by status: what they mean. Their body is a problem document from 400 on. */
  readonly responses?: Readonly<Record<number, string>>;
}

/** Marks a controller as one that switches protocols: a server accepts upgrades only if it has such a controller. */
export const takesUpgrades: AttributeType<true> = defineAttribute<true>('takesUpgrades');

/** The schemas of a controller, declared on it; on a method as decorator: `@routeSchemas.on({ body })`. */
export const routeSchemas: AttributeType<RouteSchemas> = defineAttribute<RouteSchemas>('schemas');

/** The schemas that a controller declares, for code that describes the route: OpenAPI, a client, a page. */
export function schemasOf(target: unknown): RouteSchemas | undefined {
  const declaredOn = controllerFunction(target);
  return declaredOn === undefined ? undefined : attributesOf(routeSchemas, declaredOn).at(-1);
}
