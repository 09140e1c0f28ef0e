import type { HttpRequest } from '#http';
import { AuthenticationError } from '../authentication/authentication-error.js';
import type { Authenticator } from '../authentication/authenticator.js';
import { csrfBadge, passwordBadge } from '../authentication/badges.js';
import { readBodyField } from '../requests/read-body.js';
import {
  findTarget,
  parseTargetPath,
  redirectToFailure,
  redirectToLogin,
  redirectToTarget,
} from './target-path.js';

export interface FormLoginOptions {
  /** Path of the page with the form, which the application serves, or a function of the request. Default `/login`. */
  readonly loginPath?: string | ((request: HttpRequest) => string);
  /** Path that the form is posted to; needs no route. Default: the path of the login page. */
  readonly checkPath?: string | ((request: HttpRequest) => boolean);
  /** Names of the fields. Defaults `_username`, `_password`, `_remember_me`, `_target_path`. */
  readonly fields?: {
    readonly username?: string;
    readonly password?: string;
    readonly rememberMe?: string;
    readonly target?: string;
  };
  /** Path to redirect to after a login if no target page is known. Default `/`. */
  readonly defaultTarget?: string | ((request: HttpRequest) => string);
  /** Path to redirect to after a failure, with `?error=<reason>` (see `failureMessage`). Default: the login page. */
  readonly failurePath?: string;
  /** Normalises the entered user name, e.g. to lower case. Default: unchanged. */
  readonly normalize?: (username: string) => string;
}

const maxNameLength = 4096;
const checkedValues: ReadonlySet<string> = new Set(['on', '1', 'true', 'yes']);

/** Authenticates logins with an HTML form: user name and password are posted and answered with a redirect. */
export function formLogin(options: FormLoginOptions = {}): Authenticator {
  const { loginPath = '/login', defaultTarget = '/' } = options;
  const fields = {
    username: options.fields?.username ?? '_username',
    password: options.fields?.password ?? '_password',
    rememberMe: options.fields?.rememberMe ?? '_remember_me',
    target: options.fields?.target ?? '_target_path',
  };
  const loginPathFor = (request: HttpRequest): string => valueFor(loginPath, request);
  const findLoginTarget = async (request: HttpRequest): Promise<string | undefined> =>
    parseTargetPath(await readBodyField(request, fields.target)) ?? findTarget(request);
  return {
    name: 'form-login',
    isInteractive: true,
    supports(request) {
      if (request.method !== 'POST') return false;
      const { checkPath } = options;
      if (typeof checkPath === 'function') return checkPath(request);
      return request.path === (checkPath ?? loginPathFor(request));
    },
    async authenticate(request) {
      const username = await requiredField(request, fields.username);
      const password = await requiredField(request, fields.password);
      const remember = await readBodyField(request, fields.rememberMe);
      return {
        identifier: options.normalize?.(username) ?? username,
        badges: [csrfBadge(), passwordBadge(password)],
        isThrottled: true,
        wantsRememberMe: checkedValues.has(remember ?? ''),
      };
    },
    findTarget: findLoginTarget,
    onSuccess: async (request) =>
      redirectToTarget(request, (await findLoginTarget(request)) ?? valueFor(defaultTarget, request)),
    onFailure: (request, error) => redirectToFailure(options.failurePath ?? loginPathFor(request), error),
    challenge: (request) => redirectToLogin(request, loginPathFor(request)),
  };
}

function valueFor(path: string | ((request: HttpRequest) => string), request: HttpRequest): string {
  return typeof path === 'string' ? path : path(request);
}

async function requiredField(request: HttpRequest, name: string): Promise<string> {
  const value = await readBodyField(request, name);
  if (value === undefined || value === '' || value.length > maxNameLength) {
    throw new AuthenticationError('malformed', `The form field "${name}" is missing, empty or too long.`);
  }
  return value;
}
