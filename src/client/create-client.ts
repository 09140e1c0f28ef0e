import { ClientError, type ClientProblemDocument } from './client-error.js';
import type { Client, ClientMethod, ClientRoutes } from './client-types.js';

export interface ClientOptions {
  /** Prefix of every path: `https://api.example.org`. Default: none, for the origin of the page. */
  readonly baseUrl?: string;
  /** Sends the requests. Default: the global `fetch`. Use `app.fetch` in tests. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Header fields of every request; a function is called for each request. */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
}

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
    return separator + encodeURIComponent(textOf(value));
  });
  return target === '' ? '/' : target;
}

/**
 * Renders a query as the framework parses it: lists as repeated names, objects as `a[b]`; undefined values are omitted.
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
    const key = value.length === 1 ? `${name}[]` : name; // a single item without `[]` would be parsed as a string
    for (const item of value) query.append(key, textOf(item));
  } else if (typeof value === 'object' && !(value instanceof Date)) {
    for (const [key, inner] of Object.entries(value)) append(query, `${name}[${key}]`, inner);
  } else query.append(name, textOf(value));
}

function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value as string | number | boolean); // other types cannot be sent in a URL
}
