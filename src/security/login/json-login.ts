import type { HttpRequest } from '#http';
import { HttpResponse } from '#http';
import { BadRequestError } from '#errors';
import { AuthenticationError } from '../authentication/authentication-error.js';
import type { Authenticator } from '../authentication/authenticator.js';
import { passwordBadge } from '../authentication/password-badge.js';
import { hasJson } from '../requests/read-body.js';

export interface JsonLoginOptions {
  /** Where the JSON is posted to. Default `/login`. Its route answers a login that succeeds. */
  readonly path?: string;
  /** Keys of the object. Defaults `username`, `password`, `remember_me`. */
  readonly keys?: { readonly username?: string; readonly password?: string; readonly rememberMe?: string };
}

/**
 * Login by a JSON object. Only bodies that say they are JSON are read: a stranger's page cannot send such without
 * being asked by the browser first (CORS). A failure is answered 401 with `{"error": …}`.
 */
export function jsonLogin(options: JsonLoginOptions = {}): Authenticator {
  const path = options.path ?? '/login';
  const keys = {
    username: options.keys?.username ?? 'username',
    password: options.keys?.password ?? 'password',
    rememberMe: options.keys?.rememberMe ?? 'remember_me',
  };
  return {
    name: 'json-login',
    isInteractive: true,
    supports: (request) => request.method === 'POST' && request.path === path && hasJson(request),
    async authenticate(request) {
      const body = await readObject(request);
      return {
        identifier: requiredText(body, keys.username),
        badges: [passwordBadge(requiredText(body, keys.password))],
        isThrottled: true,
        wantsRememberMe: body[keys.rememberMe] === true,
      };
    },
    onFailure(_request, error) {
      const status = error.reason === 'throttled' ? 429 : 401;
      const response = HttpResponse.json({ error: error.message }, { status });
      if (error.retryAfter !== undefined) response.headers.set('Retry-After', String(error.retryAfter));
      return response;
    },
  };
}

async function readObject(request: HttpRequest): Promise<Record<string, unknown>> {
  const body = await request.json();
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>; // an object, from JSON
  throw new BadRequestError('The login takes a JSON object.');
}

function requiredText(body: Readonly<Record<string, unknown>>, key: string): string {
  const value = Object.hasOwn(body, key) ? body[key] : undefined;
  if (typeof value === 'string' && value !== '' && value.length <= 4096) return value;
  throw new AuthenticationError('malformed', `The key "${key}" must be a text that is not empty.`);
}
