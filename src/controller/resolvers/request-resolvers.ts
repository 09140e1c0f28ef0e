import type { HttpRequest } from '#http';
import { requestLocale } from '#http';
import type { ValueResolver } from '../value-resolver.js';

/** The request itself. */
export function currentRequest(): ValueResolver<HttpRequest> {
  return { name: 'request', resolve: (request) => request };
}

/** The locale that was chosen for the request (BCP 47); `en` where no locale step ran. */
export function currentLocale(): ValueResolver<string> {
  return { name: 'locale', resolve: (request) => request.scope.get(requestLocale) ?? 'en' };
}

/** A header's value; undefined where it was not sent. */
export function headerValue(name: string): ValueResolver<string | undefined> {
  return { name, source: { in: 'header', name }, resolve: (request) => request.headers.get(name) };
}

/** A cookie's value; undefined where it was not sent. */
export function cookieValue(name: string): ValueResolver<string | undefined> {
  return { name, source: { in: 'cookie', name }, resolve: (request) => request.cookies.get(name) };
}

/** The same value for every request: a service, a setting. */
export function fixedValue<Value>(name: string, value: Value): ValueResolver<Value> {
  return { name, resolve: () => value };
}
