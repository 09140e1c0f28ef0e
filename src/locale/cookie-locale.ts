import type { HttpResponse } from '#http';
import { renderCookie } from '#http';
import type { StoredLocale } from './stored-locale.js';

const secondsOfAYear = 365 * 24 * 3600;

/** The choice that a cookie keeps. */
export function cookieLocale(name = 'locale'): StoredLocale {
  return { name: 'cookie', vary: 'Cookie', read: (request) => request.cookies.get(name) };
}

/** Keeps a choice in the cookie that `cookieLocale` reads, for a year. */
export function localeCookie(response: HttpResponse, locale: string, name = 'locale'): void {
  response.headers.append('Set-Cookie', renderCookie(name, locale, { maxAge: secondsOfAYear }));
}
