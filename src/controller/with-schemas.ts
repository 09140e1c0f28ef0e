import { annotate } from '#attributes';
import type { HttpResponse, RequestUser } from '#http';
import type { ControllerContext } from './controller-context.js';
import type { ReadsParameters } from './with-arguments.js';
import { type RouteSchemas, routeSchemas } from './route-schemas.js';
import type { StandardSchema } from './standard-schema.js';

declare const schemasDeclared: unique symbol;

/** Only for the compiler: the declared schemas of a controller, from which a client derives its types. */
export interface DeclaresSchemas<Schemas> {
  readonly [schemasDeclared]?: Schemas;
}

type OutputOf<Schema> = Schema extends StandardSchema<infer Output> ? Output : never;
type InputOf<Schema> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly input: infer Input }
    ? Input
    : unknown
  : unknown;

/** The context of a controller with schemas: the parts with a schema have the type of its output. */
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

/** The results that a controller may return: the input of the response schema, or a response. */
type ResultOf<Schemas> = Schemas extends { readonly response: infer Schema }
  ? InputOf<Schema> | HttpResponse | Response
  : unknown;

type RequiredKeys<Type> = { [Key in keyof Type]-?: object extends Pick<Type, Key> ? never : Key }[keyof Type];
type ParametersRead<Schemas> = Schemas extends { readonly params: infer Schema }
  ? Extract<RequiredKeys<InputOf<Schema>>, string>
  : never;

/**
 * Declares schemas for a controller function, which receives their outputs, and returns it:
 * `withSchemas({ params, query, headers, body, response }, ({ params, body }) => …)`. Invalid route parameters are answered
 * with 404, other invalid parts with 422 and all violations. The result is validated by the response schema, whose output
 * is sent; an invalid result is the error `CONTROLLER_RESPONSE_INVALID`.
 */
export function withSchemas<const Schemas extends RouteSchemas, User extends RequestUser = RequestUser>(
  schemas: Schemas,
  controller: (context: SchemaContext<Schemas, User>) => ResultOf<Schemas> | Promise<ResultOf<Schemas>>,
): ((context: SchemaContext<Schemas, User>) => unknown) &
  ReadsParameters<ParametersRead<Schemas>> &
  DeclaresSchemas<Schemas> {
  return annotate(controller, routeSchemas.of(schemas));
}
