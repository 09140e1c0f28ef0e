import type { AttributeType } from '#attributes';
import { attributesOf, defineAttribute } from '#attributes';
import { controllerFunction } from './controller-function.js';
import type { StandardSchema } from './standard-schema.js';

/** What a controller takes and gives, as schemas of any library that speaks Standard Schema (Zod, Valibot, ArkType …). */
export interface RouteSchemas {
  /** The parameters of the route, as its pattern and converters made them. */
  readonly params?: StandardSchema;
  /** The query: a text for each name, a list for one that came more than once or ends in `[]`, `a[b]` nested. */
  readonly query?: StandardSchema;
  /** The header fields by their names in lower case. */
  readonly headers?: StandardSchema;
  /** The body: JSON, or a form as a record. */
  readonly body?: StandardSchema;
  /** What the controller gives, unless that is a response already. Its output is what is sent. */
  readonly response?: StandardSchema;
  /** Status of the answer to a result that is no response. Default 200. */
  readonly status?: number;
}

/** What people and programs that read the description of an application learn about a route. */
export interface RouteOperation {
  /** One line. */
  readonly summary?: string;
  /** Markdown (CommonMark). */
  readonly description?: string;
  /** Groups of operations. Default: the name of the controller class, where there is one. */
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  /** Unique in the document. Default: the name of the route. */
  readonly operationId?: string;
  /** What the answer of the status of success means. Default: its reason phrase. */
  readonly responseDescription?: string;
  /** Further answers by status: what they mean. Their body is a problem document from 400 on. */
  readonly responses?: Readonly<Record<number, string>>;
}

/** Says of a controller that it gives connections another protocol: a server takes upgrades only where one does. */
export const takesUpgrades: AttributeType<true> = defineAttribute<true>('takesUpgrades');

/** The schemas of a controller, declared on it; on a method as decorator: `@routeSchemas.on({ body })`. */
export const routeSchemas: AttributeType<RouteSchemas> = defineAttribute<RouteSchemas>('schemas');

/** The schemas that a controller declares, for whoever describes the route: OpenAPI, a client, a page. */
export function schemasOf(target: unknown): RouteSchemas | undefined {
  const declaredOn = controllerFunction(target);
  return declaredOn === undefined ? undefined : attributesOf(routeSchemas, declaredOn).at(-1);
}
