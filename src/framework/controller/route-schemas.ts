import { type StandardSchema, standardSchema } from './validation-error.js';
import { annotate, attributesOf, type AttributeType, defineAttribute } from '#core/attributes';
import {
  anObject,
  anything,
  checkOptions,
  checkValue,
  flag,
  listOf,
  namesTo,
  type OptionsSchema,
  optionsSchema,
  text,
} from '#core/options';
import { type HttpResponse, isBodiless, type RequestUser } from '#core/http';
import type { ControllerContext } from './controller-context.js';
import { type Answers, controllerFunction } from './controller-target.js';
import { controllerErrors } from './error-codes.js';
import type { ReadsParameters } from './resolve-arguments.js';

/** Schemas for a controller's inputs and output, from any Standard Schema library (Zod, Valibot, ArkType …). */
export interface RouteSchemas {
  /** The route parameters, as converted by the route. */
  readonly params?: StandardSchema;
  /** The query: a string for each name, a list if the name is repeated or ends in `[]`; `a[b]` is nested. */
  readonly query?: StandardSchema;
  /** The header fields by their lower-case names. */
  readonly headers?: StandardSchema;
  /** The body: JSON, or a form as a record. */
  readonly body?: StandardSchema;
  /**
   * The controller's result, unless it is a response. The schema's output is sent. Not allowed with statuses 204, 205
   * and 304, which have no content.
   */
  readonly response?: StandardSchema;
  /** Response status if the result is not a response. Default 200. */
  readonly status?: number;
}

/** A route's description, for OpenAPI and other application descriptions. */
export interface RouteOperation {
  /** One line of text. */
  readonly summary?: string;
  /** Markdown (CommonMark). */
  readonly description?: string;
  /** Groups of operations. Default: the controller class's name, if there is one. */
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  /** Unique in the document. Default: the route's name. */
  readonly operationId?: string;
  /** Describes the successful response. Default: its status's reason phrase. */
  readonly responseDescription?: string;
  /** Further responses' descriptions, by status. From 400 on, their body is a problem document. */
  readonly responses?: Readonly<Record<number, string>>;
}

/** Marks a controller that switches protocols: a server accepts upgrades only if it has such a controller. */
export const takesUpgrades: AttributeType<true> = defineAttribute<true>('takesUpgrades');

export const routeSchemasSchema: OptionsSchema<RouteSchemas> = optionsSchema<RouteSchemas>({
  params: standardSchema,
  query: standardSchema,
  headers: standardSchema,
  body: standardSchema,
  response: standardSchema,
  status: anything(), // a separate code names the range
});

/** A route's own description for an OpenAPI document. */
export const operationSchema: OptionsSchema<RouteOperation> = optionsSchema<RouteOperation>({
  summary: text,
  description: text,
  tags: listOf(text),
  deprecated: flag,
  operationId: text,
  responseDescription: text,
  responses: namesTo(text),
});

/** Attribute with a controller's schemas; as a method decorator: `@routeSchemas.on({ body })`. */
export const routeSchemas: AttributeType<RouteSchemas> = defineAttribute<RouteSchemas>(
  'schemas',
  (schemas) => {
    checkOptions('The schemas of a controller', schemas, routeSchemasSchema);
    const { status = 200, response } = schemas;
    if (!Number.isInteger(status) || status < 200 || status > 599)
      throw controllerErrors.create('CONTROLLER_BAD_STATUS', { status: String(status).slice(0, 40) });
    if (response !== undefined && isBodiless('GET', status))
      throw controllerErrors.create('CONTROLLER_RESPONSE_WITHOUT_CONTENT', { status });
  },
);

/** Returns the schemas that a controller declares, for code that describes the route: OpenAPI, a client, a page. */
export function schemasOf(target: unknown): RouteSchemas | undefined {
  const declaredOn = controllerFunction(target);
  return declaredOn === undefined ? undefined : attributesOf(routeSchemas, declaredOn).at(-1);
}

type OutputOf<Schema> = Schema extends StandardSchema<infer Output> ? Output : never;
type InputOf<Schema> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly input: infer Input }
    ? Input
    : unknown
  : unknown;

/** A controller's context with schemas: the parts with a schema have the schema's output type. */
export type SchemaContext<Schemas extends RouteSchemas, User extends RequestUser = RequestUser> = Omit<
  ControllerContext,
  'params' | 'query' | 'user'
> & {
  readonly user: User | undefined;
  readonly params: Schemas extends { readonly params: infer Schema }
    ? OutputOf<Schema>
    : ControllerContext['params'];
  readonly query: Schemas extends { readonly query: infer Schema }
    ? OutputOf<Schema>
    : ControllerContext['query'];
} & (Schemas extends { readonly headers: infer Schema } ? { readonly headers: OutputOf<Schema> } : unknown) &
  (Schemas extends { readonly body: infer Schema } ? { readonly body: OutputOf<Schema> } : unknown);

/** The results that a controller may return: the response schema's input, or a response. */
type ResultOf<Schemas> = Schemas extends { readonly response: infer Schema }
  ? InputOf<Schema> | HttpResponse | Response
  : unknown;

type RequiredKeys<Type> = { [Key in keyof Type]-?: object extends Pick<Type, Key> ? never : Key }[keyof Type];
type ParametersRead<Schemas> = Schemas extends { readonly params: infer Schema }
  ? Extract<RequiredKeys<InputOf<Schema>>, string>
  : never;

/**
 * Declares schemas for a controller function, which receives their outputs, and returns it: `withSchemas({ params,
 * query, headers, body, response }, ({ params, body }) => …)`. Invalid route parameters are answered with 404, other
 * invalid parts with 422 and all violations. The result is validated by the response schema, whose output is sent; an
 * invalid result is the error `CONTROLLER_RESPONSE_INVALID`.
 */
export function withSchemas<
  const Schemas extends RouteSchemas,
  User extends RequestUser = RequestUser,
  Result extends ResultOf<Schemas> | Promise<ResultOf<Schemas>> =
    | ResultOf<Schemas>
    | Promise<ResultOf<Schemas>>,
>(
  schemas: Schemas,
  controller: ((context: SchemaContext<Schemas, User>) => Result) &
    (Schemas extends { readonly status: number } ? unknown : Answers<Result>),
): ((context: SchemaContext<Schemas, User>) => unknown) & ReadsParameters<ParametersRead<Schemas>> {
  checkValue('withSchemas()', 'schemas', schemas, anObject('an object with schemas'));
  return annotate(controller, routeSchemas.of(schemas));
}
