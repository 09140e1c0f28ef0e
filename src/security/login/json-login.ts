import { type HttpRequest, HttpResponse, requestRoute } from '#http';
import { BadRequestError } from '#errors';
import { AuthenticationError } from '../authentication/authentication-error.js';
import type { Authenticator } from '../authentication/authenticator.js';
import { passwordBadge } from '../authentication/badges.js';
import { hasJson } from '../requests/read-body.js';
import { failureResponse } from './failure-response.js';

/** The body of a JSON login, passed to `read`. */
export interface JsonLoginBody {
  /** The parsed body: an object with unknown contents. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Returns the value at a path of keys: `at('user', 'email')`. Undefined if a level is missing. */
  readonly at: (...keys: readonly string[]) => unknown;
  readonly request: HttpRequest;
}

/** The credentials that `read` has found. An identifier or password that is not a non-empty string fails the login. */
export interface JsonCredentials {
  readonly identifier: unknown;
  readonly password: unknown;
  /** True to remember the user. */
  readonly rememberMe?: unknown;
}

export interface JsonLoginOptions {
  /** Path that the JSON is posted to. Default `/login`. Needs no route; if there is one, it answers successful logins. */
  readonly path?: string;
  /** Keys of the object. Defaults `username`, `password`, `remember_me`. */
  readonly keys?: { readonly username?: string; readonly password?: string; readonly rememberMe?: string };
  /**
   * Reads bodies of another shape: `({ at }) => ({ identifier: at('user', 'email'), password: at('user', 'password') })`.
   */
  readonly read?: (body: JsonLoginBody) => JsonCredentials | Promise<JsonCredentials>;
  /**
   * Answers a successful login. If it returns undefined, the route of the path answers, or the default response if there
   * is none.
   */
  readonly onSuccess?: Authenticator['onSuccess'];
  /** Answers a failure. If it returns undefined, the default response is sent: `failureResponse(error)`. */
  readonly onFailure?: Authenticator['onFailure'];
}

/** Maximum length of identifier and password, in UTF-16 code units. */
const maxFieldLength = 4096;

/**
 * Authenticates logins with a JSON object. Only bodies with a JSON content type are read, which a page of another site
 * cannot send without a CORS preflight. A success is answered by the route of the path, or with 200 and
 * `{"user": {"identifier", "roles"}}`; a failure with `failureResponse`: 401 or 429.
 */
export function jsonLogin(options: JsonLoginOptions = {}): Authenticator {
  const path = options.path ?? '/login';
  const keys = {
    username: options.keys?.username ?? 'username',
    password: options.keys?.password ?? 'password',
    rememberMe: options.keys?.rememberMe ?? 'remember_me',
  };
  const read: NonNullable<JsonLoginOptions['read']> =
    options.read ??
    (({ at }) => ({
      identifier: at(keys.username),
      password: at(keys.password),
      rememberMe: at(keys.rememberMe),
    }));
  return {
    name: 'json-login',
    isInteractive: true,
    supports: (request) => request.method === 'POST' && request.path === path && hasJson(request),
    async authenticate(request) {
      const json = await readObject(request);
      const found = await read({ json, request, at: (...names) => valueAt(json, names) });
      return {
        identifier: requiredText('identifier', found.identifier),
        badges: [passwordBadge(requiredText('password', found.password))],
        isThrottled: true,
        wantsRememberMe: found.rememberMe === true,
      };
    },
    async onSuccess(request, token) {
      const answer = await options.onSuccess?.(request, token);
      if (answer !== undefined || request.scope.get(requestRoute) !== undefined) return answer;
      const { identifier, roles } = token.user;
      return HttpResponse.json({ user: { identifier, roles } });
    },
    onFailure: async (request, error) =>
      (await options.onFailure?.(request, error)) ?? failureResponse(error),
  };
}

async function readObject(request: HttpRequest): Promise<Readonly<Record<string, unknown>>> {
  const body = await request.json();
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>; // checked to be an object; it comes from JSON
  throw new BadRequestError('The login needs a JSON object.');
}

function valueAt(json: unknown, names: readonly string[]): unknown {
  let value = json;
  for (const name of names) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name]; // checked above to be an object
  }
  return value;
}

function requiredText(what: string, value: unknown): string {
  if (typeof value === 'string' && value !== '' && value.length <= maxFieldLength) return value;
  throw new AuthenticationError(
    'malformed',
    `The ${what} must be a text that is not empty, of at most ${maxFieldLength} characters.`,
  );
}
