import { type HttpRequest, type HttpResponse, renderCookie } from '#http';

/** Port: where a visitor's own choice of language is kept (cookie, session, account). */
export interface StoredLocale {
  /** For records: `cookie`, `session`, `user`. */
  readonly name: string;
  /** Request header that it reads, named by `Vary` for caches: `Cookie`. Absent if no shared cache keeps the answer. */
  readonly vary?: string;
  /** The choice as it was stored; anything other than an enabled locale counts as none. */
  read(request: HttpRequest): string | undefined;
}

const secondsOfAYear = 365 * 24 * 3600;

/** The choice that a cookie keeps. */
export function cookieLocale(name = 'locale'): StoredLocale {
  return { name: 'cookie', vary: 'Cookie', read: (request) => request.cookies.get(name) };
}

/** Keeps a choice in the cookie that `cookieLocale` reads, for a year. */
export function localeCookie(response: HttpResponse, locale: string, name = 'locale'): void {
  response.headers.append('Set-Cookie', renderCookie(name, locale, { maxAge: secondsOfAYear }));
}
