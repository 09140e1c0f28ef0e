import { type HttpRequest, requestLocale } from '#http';
import type { ValueResolver } from '../value-resolver.js';

/** Resolves the request itself. */
export function currentRequest(): ValueResolver<HttpRequest> {
  return { name: 'request', resolve: (request) => request };
}

/** Resolves the locale of the request (BCP 47); `en` if no locale listener has run. */
export function currentLocale(): ValueResolver<string> {
  return { name: 'locale', resolve: (request) => request.scope.get(requestLocale) ?? 'en' };
}

/** Resolves the value of a header; undefined if it was not sent. */
export function headerValue(name: string): ValueResolver<string | undefined> {
  return { name, source: { in: 'header', name }, resolve: (request) => request.headers.get(name) };
}

/** Resolves the value of a cookie; undefined if it was not sent. */
export function cookieValue(name: string): ValueResolver<string | undefined> {
  return { name, source: { in: 'cookie', name }, resolve: (request) => request.cookies.get(name) };
}

/** Resolves the same value for every request, e.g. a service or a setting. */
export function fixedValue<Value>(name: string, value: Value): ValueResolver<Value> {
  return { name, resolve: () => value };
}
