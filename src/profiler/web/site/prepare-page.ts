import { HttpResponse, renderCookie, type HttpRequest } from '#http';
import { createScopeKey, currentScope, type ScopeKey } from '#scope';
import { chooseLanguage, isLanguage, type Language, pageLanguage } from '#phrases';
import { prepareFormToken } from './form-token.js';
import { protectResponse } from '../access/protect-response.js';

/** Facts about the request that the shell of a page needs. */
export interface PageAddress {
  /** Query of the request, without the language parameter. */
  readonly query: string;
  /** Whether the page is shown in the pane next to the list and therefore needs no header. */
  readonly isPane: boolean;
}

const requestAddress: ScopeKey<PageAddress> = createScopeKey('address of the profiler’s page');
const languageParameter = '_lang';
const languageCookie = 'lookback_lang';
const yearSeconds = 31_536_000;

/** Returns the address of the page that is being rendered. */
export function currentAddress(): PageAddress {
  return currentScope()?.get(requestAddress) ?? { query: '', isPane: false };
}

/** Returns a link to this page in another language: `_lang` is stored in a cookie, followed by a redirect without it. */
export function languageLink(language: Language): string {
  const query = new URLSearchParams(currentAddress().query);
  query.set(languageParameter, language);
  return `?${query.toString()}`;
}

/**
 * Sets the language of the page in the request's scope: the reader's choice, else the best available one of Accept-Language,
 * else English. Returns the redirect if the request chooses a language; undefined if the page is to be rendered.
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
  // An empty reference would keep the query with the language parameter; `?` replaces it.
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
