import { type HttpRequest, type HttpResponse, renderCookie } from '#http';

/** Port: a source of the language stored for a visitor (cookie, session, account). */
export interface StoredLocale {
  /** Name in records: `cookie`, `session`, `user`. */
  readonly name: string;
  /** Request header that is read, which is added to `Vary`: `Cookie`. Omit it if no shared cache stores the responses. */
  readonly vary?: string;
  /** Returns the stored choice; anything other than an enabled locale is ignored. */
  read(request: HttpRequest): string | undefined;
}

const secondsOfAYear = 365 * 24 * 3600;

/** Creates a source that reads the choice from a cookie. */
export function cookieLocale(name = 'locale'): StoredLocale {
  return { name: 'cookie', vary: 'Cookie', read: (request) => request.cookies.get(name) };
}

/** Stores a choice in the cookie that `cookieLocale` reads, for one year. */
export function localeCookie(response: HttpResponse, locale: string, name = 'locale'): void {
  response.headers.append('Set-Cookie', renderCookie(name, locale, { maxAge: secondsOfAYear }));
}
