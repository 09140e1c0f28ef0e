import type { HttpRequest, HttpResponse } from 'lookback';
import { loginFailure } from '../journal-login.js';
import { type KeptText, readCarried, readWritten } from '../kept-text.js';
import { text } from '../languages.js';
import { LoginPage } from '../pages/login-page.js';
import type { Services } from '../services.js';
import type { Context } from '../pages/page.js';
import { readText } from './read-text.js';

const longestName = 200;

interface LoginProps {
  readonly status?: number;
  readonly error?: string | null;
  /** The name that was entered before. */
  readonly name?: string;
  readonly kept?: KeptText | 'too long' | undefined;
}

/** The login page; `?error` has the reason why a login failed, if the form was not shown again. */
export function showLogin(context: Context, services: Services): Promise<HttpResponse> {
  return loginPage(context, services, { error: context.query.get('error') });
}

/** The login page after a failed login: with the entered name and the text that it carries, but no password. */
export async function showFailedLogin(context: Context, services: Services): Promise<HttpResponse> {
  const form = await context.request.form();
  const error = context.request.scope.get(loginFailure) ?? null;
  return loginPage(context, services, {
    status: error === 'throttled' ? 429 : 422,
    error,
    name: readText(form.get('_username')).slice(0, longestName),
    kept: readCarried(form),
  });
}

/**
 * Returns undefined for users with the role. An anonymous visitor who submitted a form on this site gets the login page, which carries the
 * text into the new session, because the old one has ended. Everyone else gets the same response as from `isGranted`.
 */
export async function logInFirst(
  context: Context,
  services: Services,
  { role, page }: { readonly role: string; readonly page: string },
): Promise<HttpResponse | undefined> {
  const { request } = context;
  const { security } = services;
  const isStranger = (await security.user(request)) === undefined;
  if (!isStranger || !isOwnForm(request)) {
    await security.denyUnlessGranted(request, role);
    return undefined;
  }
  return loginPage(context, services, { status: 403, kept: readWritten(await request.form(), page) });
}

function loginPage(
  context: Context,
  { site }: Services,
  { status = 200, error = null, name = '', kept }: LoginProps,
): Promise<HttpResponse> {
  const { url } = context;
  return site.page(context, () => ({
    title: text('login'),
    status,
    pathIn: (language) => url('login', { _locale: language }),
    content: LoginPage({ action: url('login'), error, name, kept }),
  }));
}

/**
 * Whether the browser confirms that a page on this site sent the form. Clients without such a header are not browsers, and need no help.
 */
function isOwnForm({ headers, origin }: HttpRequest): boolean {
  const site = headers.get('sec-fetch-site');
  const isOwn = site === undefined ? headers.get('origin') === origin : site === 'same-origin';
  return (
    isOwn &&
    /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(headers.get('content-type') ?? '')
  );
}
