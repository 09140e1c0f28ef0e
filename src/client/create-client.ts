import { type OptionNames, refuseUnknownOptions, optionNames } from '#coded-error';
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
type Wire<Value> = Value extends { toJSON(): infer Json }
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

export interface ClientOptions {
  /** Prefix of every path: `https://api.example.org`. Default: none, for the origin of the page. */
  readonly baseUrl?: string;
  /** Sends the requests. Default: the global `fetch`. Use `app.fetch` in tests. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Header fields of every request; a function is called for each request. */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
}

const clientOptionNames: OptionNames<ClientOptions> = optionNames('baseUrl fetch headers');

/** The untyped input of a call. */
interface AnyInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/**
 * Creates a client for routes that are declared as values: `createClient<typeof api>({ baseUrl })`, where `api` is the
 * result of `defineRoutes([...])`. The types of parameters, query, headers, body and result are derived from the routes,
 * which are imported only as a type, so that the client contains no server code and no code is generated. A call returns
 * the body of the response: parsed from JSON, undefined if there is none, otherwise as text. Throws a `ClientError` from
 * status 400 on. Bodies are sent as JSON; a `FormData`, `URLSearchParams` or `Blob` is sent unchanged.
 */
export function createClient<const Routes extends ClientRoutes>(options: ClientOptions = {}): Client<Routes> {
  refuseUnknownOptions('createClient()', options, clientOptionNames);
  const call =
    (method: ClientMethod) =>
    async (path: string, input: AnyInput = {}): Promise<unknown> => {
      const target = renderTarget(path, input.params ?? {}) + renderSearchString(input.query ?? {});
      const send = options.fetch ?? fetch;
      return readAnswer(
        await send((options.baseUrl ?? '').replace(/\/$/, '') + target, request(method, input, options)),
      );
    };
  const client = {
    get: call('get'),
    post: call('post'),
    put: call('put'),
    patch: call('patch'),
    delete: call('delete'),
  };
  return client as Client<Routes>; // the types of the calls are derived from the routes
}

function request(method: ClientMethod, input: AnyInput, options: ClientOptions): RequestInit {
  const headers = new Headers({ Accept: 'application/json' });
  const shared = typeof options.headers === 'function' ? options.headers() : options.headers;
  for (const [name, value] of Object.entries({ ...shared, ...input.headers })) {
    if (value !== undefined) headers.set(name, String(value as string)); // header fields are text
  }
  const { body, signal } = input;
  const init = { method: method.toUpperCase(), headers, ...(signal === undefined ? {} : { signal }) };
  if (body === undefined) return init;
  if (body instanceof FormData || body instanceof URLSearchParams || body instanceof Blob)
    return { ...init, body };
  headers.set('Content-Type', 'application/json');
  return { ...init, body: JSON.stringify(body) };
}

async function readAnswer(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  const text = await response.text();
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/i.test(type);
  const body: unknown = isJson && text !== '' ? JSON.parse(text) : text === '' ? undefined : text;
  if (response.status < 400) return body;
  const problem = typeof body === 'object' && body !== null ? (body as ClientProblemDocument) : {}; // RFC 9457
  throw new ClientError(response.status, problem, response.headers);
}

/** Matches a variable with its separator. A requirement in it may contain one level of braces, as in `{id<[0-9]{4}>}`. */
const variable = /([/,;.:\-_~+*=@|]?)\{!?([A-Za-z_]\w*)(?:[^\w{}](?:[^{}]|\{[^{}]*\})*)?\}/g;

/** Renders the path of a route with the values of its variables; an omitted variable is removed with its separator. */
export function renderTarget(path: string, values: Readonly<Record<string, unknown>>): string {
  const target = path.replaceAll(variable, (_whole, separator: string, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined || value === null) return '';
    return separator + encodeURIComponent(searchText(value));
  });
  return target === '' ? '/' : target;
}

/**
 * Renders a query as the framework parses it: lists as repeated names (an empty one as nothing), objects as `a[b]`; undefined values are omitted.
 */
export function renderSearchString(values: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) append(query, name, value);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

function append(query: URLSearchParams, name: string, value: unknown): void {
  if (value === undefined || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) query.append(name, searchText(item));
  } else if (typeof value === 'object' && !(value instanceof Date)) {
    for (const [key, inner] of Object.entries(value)) append(query, `${name}[${key}]`, inner);
  } else query.append(name, searchText(value));
}

function searchText(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value as string | number | boolean); // other types cannot be sent in a URL
}

/** The members of a problem document (RFC 9457) as the framework sends it. */
export interface ClientProblemDocument {
  readonly title?: string;
  readonly detail?: string;
  /** Code of the problem; for a failed login its reason, e.g. `credentials`. */
  readonly code?: string;
  readonly violations?: readonly {
    readonly path: string;
    readonly message: string;
    readonly code: string;
    readonly in?: string;
  }[];
}

/**
 * Thrown for a response with a status from 400 on. The message is the detail, otherwise the title, of the problem
 * document.
 */
export class ClientError extends Error {
  readonly status: number;
  /** The problem document; empty if the response has none. */
  readonly problem: ClientProblemDocument;
  readonly headers: Headers;

  constructor(status: number, problem: ClientProblemDocument, headers: Headers) {
    super(problem.detail ?? problem.title ?? `The server answered ${status}.`);
    this.name = 'ClientError';
    this.status = status;
    this.problem = problem;
    this.headers = headers;
  }
}
