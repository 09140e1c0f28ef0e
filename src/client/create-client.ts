import { ClientError } from './client-error.js';
import type { ClientProblemDocument } from './client-error.js';
import type { Client, ClientMethod, ClientRoutes } from './client-types.js';
import { renderSearchString, renderTarget } from './render-target.js';

export interface ClientOptions {
  /** Put before every path: `https://api.example.org`. Default: none, for the page's own origin. */
  readonly baseUrl?: string;
  /** Default: the global `fetch`. In tests `app.fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Sent with every request; a function is called for each. */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
}

/** What a call is given, without its types. */
interface AnyInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/**
 * A client of routes that are declared as values: `createClient<typeof api>({ baseUrl })`, where `api` is what
 * `defineRoutes([...])` gave. Types of parameters, query, headers, body and answer come from the routes, which are
 * imported as a type only: nothing of the server gets into the client, and no code is generated. A call gives the body
 * of the answer: from JSON, undefined where there is none, else as text. Throws a `ClientError` from status 400 on.
 * Bodies are sent as JSON; a `FormData`, `URLSearchParams` or `Blob` as it is.
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
  return client as Client<Routes>; // as: the types say of each path what the routes declare
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
