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
  /** The page with the form, which the application serves. Default `/login`. A function where it depends on the request. */
  readonly loginPath?: string | ((request: HttpRequest) => string);
  /** Where the form is posted to. Default: the login page's path. No route is needed. */
  readonly checkPath?: string | ((request: HttpRequest) => boolean);
  /** Names of the fields. Defaults `_username`, `_password`, `_remember_me`, `_target_path`. */
  readonly fields?: {
    readonly username?: string;
    readonly password?: string;
    readonly rememberMe?: string;
    readonly target?: string;
  };
  /** Where a login leads that came from nowhere. Default `/`. */
  readonly defaultTarget?: string | ((request: HttpRequest) => string);
  /** Where a failure leads, with `?error=<reason>` (see `failureMessage`). Default: the login page. */
  readonly failurePath?: string;
  /** Makes one spelling of what was typed, e.g. lower case. Default: as typed. */
  readonly normalize?: (username: string) => string;
}

const maxNameLength = 4096;
const checkedValues: ReadonlySet<string> = new Set(['on', '1', 'true', 'yes']);

/** Login by an HTML form: user name and password are posted, and answered by a redirect. */
export function formLogin(options: FormLoginOptions = {}): Authenticator {
  const { loginPath = '/login', defaultTarget = '/' } = options;
  const fields = {
    username: options.fields?.username ?? '_username',
    password: options.fields?.password ?? '_password',
    rememberMe: options.fields?.rememberMe ?? '_remember_me',
    target: options.fields?.target ?? '_target_path',
  };
  const loginFor = (request: HttpRequest): string => valueFor(loginPath, request);
  const askedTarget = async (request: HttpRequest): Promise<string | undefined> =>
    parseTargetPath(await readBodyField(request, fields.target)) ?? findTarget(request);
  return {
    name: 'form-login',
    isInteractive: true,
    supports(request) {
      if (request.method !== 'POST') return false;
      const { checkPath } = options;
      if (typeof checkPath === 'function') return checkPath(request);
      return request.path === (checkPath ?? loginFor(request));
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
    findTarget: askedTarget,
    onSuccess: async (request) =>
      redirectToTarget(request, (await askedTarget(request)) ?? valueFor(defaultTarget, request)),
    onFailure: (request, error) => redirectToFailure(options.failurePath ?? loginFor(request), error),
    challenge: (request) => redirectToLogin(request, loginFor(request)),
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
