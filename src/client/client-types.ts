import type { DeclaresSchemas, StandardSchema } from '#controller';
import type { MatchParametersOf, RouteDefinition } from '#routing';

/** Routes as values: the result of `defineRoutes([...])`. Only their types are used. */
export type ClientRoutes = readonly (RouteDefinition & { readonly controller?: unknown })[];

/** HTTP methods of a client, by the names of its functions. */
export type ClientMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';

type MethodsOf<Definition> = Definition extends { readonly methods: infer Methods }
  ? Methods extends readonly (infer Method extends string)[]
    ? Lowercase<Method>
    : Methods extends string
      ? Lowercase<Methods>
      : ClientMethod
  : ClientMethod;

/** The route definitions for a method, except localised ones, which have several paths. */
type AnsweringTo<Routes extends ClientRoutes, Method> = Routes[number] extends infer Definition
  ? Definition extends { readonly path: string }
    ? Method extends MethodsOf<Definition>
      ? Definition
      : never
    : never
  : never;

/** The declared paths of the routes for a method. */
export type PathsOf<Routes extends ClientRoutes, Method extends ClientMethod> =
  AnsweringTo<Routes, Method> extends { readonly path: infer Path extends string } ? Path : never;

type DefinitionOf<Routes extends ClientRoutes, Method, Path> = Extract<
  AnsweringTo<Routes, Method>,
  { readonly path: Path }
>;

type SchemasOf<Definition> = Definition extends { readonly controller: DeclaresSchemas<infer Schemas> }
  ? unknown extends Schemas
    ? Readonly<Record<never, never>>
    : Schemas
  : Readonly<Record<never, never>>;

type InputOf<Schema> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly input: infer Input }
    ? Input
    : unknown
  : unknown;
type OutputOf<Schema> = Schema extends StandardSchema<infer Output> ? Output : unknown;

/** The type of a value after it was sent as JSON: dates are strings. */
export type Wire<Value> = Value extends { toJSON(): infer Json }
  ? Json
  : Value extends string | number | boolean | null | undefined
    ? Value
    : Value extends readonly (infer Item)[]
      ? Wire<Item>[]
      : Value extends object
        ? { [Key in keyof Value]: Wire<Value[Key]> }
        : Value;

type PathValues<Definition> = Definition extends RouteDefinition
  ? { readonly [Name in keyof MatchParametersOf<Definition>]: string | number }
  : never;

/** One part of the input; required if it has required fields. */
type Part<Name extends string, Value> =
  Readonly<Record<never, never>> extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value };

type ParamsPart<Definition, Schemas> = Schemas extends { readonly params: infer Schema }
  ? Part<'params', InputOf<Schema>>
  : Part<'params', PathValues<Definition>>;
type OtherPart<Name extends 'query' | 'headers' | 'body', Schemas> = Schemas extends {
  readonly [Key in Name]: infer Schema;
}
  ? Part<Name, InputOf<Schema>>
  : Name extends 'headers'
    ? { readonly headers?: Readonly<Record<string, string>> }
    : { readonly [Key in Name]?: unknown };

/** The input of a call. */
export type ClientInput<Routes extends ClientRoutes, Method, Path> =
  DefinitionOf<Routes, Method, Path> extends infer Definition
    ? ParamsPart<Definition, SchemasOf<Definition>> &
        OtherPart<'query', SchemasOf<Definition>> &
        OtherPart<'headers', SchemasOf<Definition>> &
        OtherPart<'body', SchemasOf<Definition>> & { readonly signal?: AbortSignal }
    : never;

/** The result of a call: the output of the response schema, after JSON; unknown without a response schema. */
export type ClientOutput<Routes extends ClientRoutes, Method, Path> =
  SchemasOf<DefinitionOf<Routes, Method, Path>> extends { readonly response: infer Schema }
    ? Wire<OutputOf<Schema>>
    : unknown;

type CallArguments<Input> = Readonly<Record<never, never>> extends Input ? [input?: Input] : [input: Input];

/** Calls the routes: `client.get('/articles/{id}', { params: { id: 7 } })`. */
export type Client<Routes extends ClientRoutes> = {
  readonly [Method in ClientMethod]: <const Path extends PathsOf<Routes, Method>>(
    path: Path,
    ...input: CallArguments<ClientInput<Routes, Method, Path>>
  ) => Promise<ClientOutput<Routes, Method, Path>>;
};
