import { httpErrors } from '../failures/error-codes.js';

/** Methods that would make a request look safe, or that servers do not route. */
const refusedMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE']);

/** The method named by X-HTTP-Method-Override, in upper case. Throws `HTTP_METHOD_OVERRIDE`. */
export function parseMethodOverride(value: string): string {
  const method = value.toUpperCase();
  if (!/^[A-Z]{1,32}$/.test(method) || refusedMethods.has(method)) {
    throw httpErrors.create('HTTP_METHOD_OVERRIDE', { method: value.slice(0, 100) });
  }
  return method;
}
