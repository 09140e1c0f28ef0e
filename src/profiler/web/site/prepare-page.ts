import { HttpResponse, renderCookie, type HttpRequest } from '#http';
import { createScopeKey, currentScope, type ScopeKey } from '#scope';
import { chooseLanguage, isLanguage, type Language, pageLanguage } from '#phrases';
import { prepareFormToken } from './form-token.js';
import { protectResponse } from '../access/protect-response.js';

/** What the frame of a page depends on beside its contents. */
export interface PageAddress {
  /** The request's query, without the choice of a language. */
  readonly query: string;
  /** Whether the page stands in the pane beside the list, and needs no frame of its own. */
  readonly isPane: boolean;
}

const requestAddress: ScopeKey<PageAddress> = createScopeKey('address of the profiler’s page');
const languageParameter = '_lang';
const languageCookie = 'lookback_lang';
const yearSeconds = 31_536_000;

/** The address of the page that is being made. */
export function currentAddress(): PageAddress {
  return currentScope()?.get(requestAddress) ?? { query: '', isPane: false };
}

/** The address of this page in another language: `_lang` is kept in a cookie, then the page is requested again without it. */
export function languageLink(language: Language): string {
  const query = new URLSearchParams(currentAddress().query);
  query.set(languageParameter, language);
  return `?${query.toString()}`;
}

/**
 * Notes in the request's scope in which language its page is written: that of the reader's choice, else the first of
 * Accept-Language that there is, else English. Gives the answer to a choice; undefined for the page itself.
 */
export function preparePage(request: HttpRequest, prefix: string): HttpResponse | undefined {
  const query = new URLSearchParams(request.rawQuery);
  const choice = query.get(languageParameter);
  query.delete(languageParameter);
  if (choice !== null) return keepChoice(choice, query, prefix);
  const { headers, scope } = request;
  const isPane =
    headers.get('sec-fetch-dest') === 'iframe' && headers.get('sec-fetch-site') === 'same-origin';
  scope.set(requestAddress, { query: query.toString(), isPane });
  prepareFormToken(request, prefix);
  scope.set(pageLanguage, languageOf(request));
  return undefined;
}

function keepChoice(choice: string, query: URLSearchParams, prefix: string): HttpResponse {
  // Relative to the page itself: a reference without a path would keep the choice.
  const headers = { Location: `?${query.toString()}` };
  const response = protectResponse(new HttpResponse(null, { status: 302, headers }));
  const how = { path: prefix, maxAge: yearSeconds, sameSite: 'Strict' } as const;
  if (isLanguage(choice)) response.headers.set('Set-Cookie', renderCookie(languageCookie, choice, how));
  return response;
}

function languageOf(request: HttpRequest): Language {
  const kept = request.cookies.get(languageCookie) ?? '';
  return isLanguage(kept) ? kept : chooseLanguage(request.headers.get('accept-language'));
}
