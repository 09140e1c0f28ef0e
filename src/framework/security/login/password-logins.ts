import { safely } from '#core/coded-error';
import { callable, checkOptions, either, optionsSchema, type OptionsSchema, text } from '#core/options';
import { BadRequestError, TooManyRequestsError, UnauthorizedError } from '#core/errors';
import { type HttpRequest, requestRoute } from '#core/http';
import {
  AuthenticationError,
  type Authenticator,
  csrfBadge,
  passwordBadge,
} from '../authentication/authenticator.js';
import { readBodyField, hasJson } from '../requests/request-conditions.js';
import { quoteHeader, readAuthorization } from './access-token.js';
import {
  parseTargetPath,
  pathFor,
  targetPath,
  type PathOf,
  answerFailure,
  answerSuccess,
  failureResponse,
  redirectToLogin,
  userResponse,
} from './target-path.js';

interface FormLoginOptions {
  /**
   * Path to the page with the form, which the application serves, or a function that gets the request. Default
   * `/login`.
   */
  readonly loginPath?: PathOf;
  /** Path that the form is posted to; needs no POST route. Default: the login page's path. */
  readonly checkPath?: string | ((request: HttpRequest) => boolean);
  /** Names of the fields. Defaults `_username`, `_password`, `_remember_me`, `_target_path`. */
  readonly fields?: Partial<typeof defaultFields>;
  /** Path to redirect to after a login if no target page is known. Default `/`. */
  readonly defaultTarget?: PathOf;
  /** Path to redirect to after a failure, with `?error=<reason>` (see `failureMessage`). Default: the login page. */
  readonly failurePath?: PathOf;
  /** Normalises the entered user name, e.g. to lower case. Default: unchanged. */
  readonly normalize?: (username: string) => string;
}

/** Maximum identifier and password length, in UTF-16 code units. */
const maxFieldLength = 4096;
const defaultFields = {
  username: '_username',
  password: '_password',
  rememberMe: '_remember_me',
  target: '_target_path',
};
const checkedValues: ReadonlySet<string> = new Set(['on', '1', 'true', 'yes']);

export const formLoginSchema: OptionsSchema<FormLoginOptions> = optionsSchema<FormLoginOptions>({
  loginPath: targetPath,
  checkPath: either(text, callable<(request: HttpRequest) => boolean>()),
  fields: optionsSchema<Partial<typeof defaultFields>>({
    username: text,
    password: text,
    rememberMe: text,
    target: text,
  }),
  defaultTarget: targetPath,
  failurePath: targetPath,
  normalize: callable(),
});

/**
 * Authenticates logins with an HTML form: user name and password are posted and answered with a redirect. Clients that
 * want JSON get the responses of `jsonLogin`.
 */
export function formLogin(options: FormLoginOptions = {}): Authenticator {
  checkOptions('formLogin()', options, formLoginSchema);
  const { loginPath = '/login', defaultTarget = '/' } = options;
  const fields = { ...defaultFields, ...options.fields };
  const loginPathFor = (request: HttpRequest): string => pathFor(loginPath, request);
  const isChecked = (request: HttpRequest): boolean => {
    const { checkPath } = options;
    if (typeof checkPath === 'function') return checkPath(request);
    return request.path === (checkPath ?? loginPathFor(request));
  };
  return {
    name: 'form-login',
    isInteractive: true,
    supports: (request) => request.method === 'POST' && isChecked(request),
    methodsOf: (request) => (isChecked(request) ? ['POST'] : []),
    async authenticate(request) {
      const read = async (name: string): Promise<string> =>
        requiredText(`form field "${name}"`, await readBodyField(request, name));
      const [username, password] = [await read(fields.username), await read(fields.password)];
      const remember = await readBodyField(request, fields.rememberMe);
      return {
        identifier: options.normalize?.(username) ?? username,
        badges: [csrfBadge(), passwordBadge(password)],
        isThrottled: true,
        wantsRememberMe: checkedValues.has(remember ?? ''),
      };
    },
    async onSuccess(request, token) {
      const target = parseTargetPath(await readBodyField(request, fields.target));
      return answerSuccess(request, token, { target, otherwise: defaultTarget });
    },
    onFailure: (request, error) => answerFailure(request, options.failurePath ?? loginPath, error),
    challenge: (request) => redirectToLogin(request, loginPathFor(request)),
  };
}

interface JsonLoginBody {
  /** The parsed body: an object with unknown contents. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Returns the value at a path of keys: `at('user', 'email')`. Undefined if a level is missing. */
  readonly at: (...keys: readonly string[]) => unknown;
  readonly request: HttpRequest;
}

/** The credentials found by `read`. An identifier or password that is not a non-empty string fails the login. */
interface JsonCredentials {
  readonly identifier: unknown;
  readonly password: unknown;
  /** True to remember the user. */
  readonly rememberMe?: unknown;
}

interface JsonLoginOptions {
  /**
   * Path that the JSON is posted to. Default `/login`. Needs no route; if there is one, it answers successful logins.
   */
  readonly path?: string;
  /**
   * Reads bodies with a different shape than `{ username, password, remember_me }`: `({ at }) => ({ identifier:
   * at('user', 'email'), password: at('user', 'password') })`.
   */
  readonly read?: (body: JsonLoginBody) => JsonCredentials | Promise<JsonCredentials>;
  /** Answers a successful login; if it returns undefined, the path's route does, or the default response is sent. */
  readonly onSuccess?: Authenticator['onSuccess'];
  /** Answers a failure. If it returns undefined, the default response is sent: `failureResponse(error)`. */
  readonly onFailure?: Authenticator['onFailure'];
}

export const jsonLoginSchema: OptionsSchema<JsonLoginOptions> = optionsSchema<JsonLoginOptions>({
  path: text,
  read: callable(),
  onSuccess: callable(),
  onFailure: callable(),
});

/**
 * Authenticates logins with a JSON object. Only bodies with a JSON content type are read, which another site's page
 * cannot send without a CORS preflight. A success is answered by the path's route, or with 200 and `{"user":
 * {"identifier", "roles"}}`; a failure with `failureResponse`: 400, 401 or 429.
 */
export function jsonLogin(options: JsonLoginOptions = {}): Authenticator {
  checkOptions('jsonLogin()', options, jsonLoginSchema);
  const path = options.path ?? '/login';
  const read: NonNullable<JsonLoginOptions['read']> =
    options.read ??
    (({ at }) => ({
      identifier: at('username'),
      password: at('password'),
      rememberMe: at('remember_me'),
    }));
  return {
    name: 'json-login',
    isInteractive: true,
    supports: (request) => request.method === 'POST' && request.path === path && hasJson(request),
    methodsOf: (request) => (request.path === path ? ['POST'] : []),
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
      return userResponse(token.user);
    },
    onFailure: async (request, error) =>
      (await options.onFailure?.(request, error)) ?? failureResponse(error),
  };
}

async function readObject(request: HttpRequest): Promise<Readonly<Record<string, unknown>>> {
  const body = await request.json();
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>; // checked to be an object; it comes from JSON
  throw new BadRequestError('The login requires a JSON object.');
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
    `The ${what} must be a non-empty string of at most ${maxFieldLength} characters.`,
  );
}

interface HttpBasicOptions {
  /** Text that browsers may show in the login dialog. Default `Secured Area`. */
  readonly realm?: string;
}

export const httpBasicSchema: OptionsSchema<HttpBasicOptions> = optionsSchema<HttpBasicOptions>({
  realm: text,
});

/** Authenticates with HTTP Basic (RFC 7617, UTF-8). Answers failures with 401, or 429 after too many attempts. */
export function httpBasic(options: HttpBasicOptions = {}): Authenticator {
  checkOptions('httpBasic()', options, httpBasicSchema);
  const challenge = `Basic realm=${quoteHeader(options.realm ?? 'Secured Area')}, charset="UTF-8"`;
  return {
    name: 'http-basic',
    isInteractive: false,
    isAmbient: true,
    scheme: { type: 'http', scheme: 'basic' },
    supports: (request) => readAuthorization(request, 'basic') !== undefined,
    authenticate(request) {
      const text = decodeCredentials(readAuthorization(request, 'basic') ?? '');
      const colon = text?.indexOf(':') ?? -1;
      if (text === undefined || colon < 1 || text.length > 8192) {
        throw new AuthenticationError('malformed', 'The credentials are not base64 of name:password.');
      }
      return {
        identifier: text.slice(0, colon),
        badges: [passwordBadge(text.slice(colon + 1))],
        isThrottled: true,
      };
    },
    onFailure(_request, error) {
      if (error.reason === 'throttled') {
        throw new TooManyRequestsError(error.retryAfter, error.message, { cause: error });
      }
      throw new UnauthorizedError(challenge, error.message, { cause: error });
    },
    challenge: () => challenge,
  };
}

function decodeCredentials(text: string): string | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return safely(() => decoder.decode(Buffer.from(text, 'base64')), undefined);
}
