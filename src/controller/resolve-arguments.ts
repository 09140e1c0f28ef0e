import type { HttpRequest } from '#http';
import type { ValueResolver } from './value-resolver.js';

/** The values of a controller's arguments, in order; a promise only where a resolver gave one. */
export function resolveArguments(
  resolvers: readonly ValueResolver[],
  request: HttpRequest,
): unknown[] | Promise<unknown[]> {
  const values: unknown[] = [];
  let pending = false;
  for (const resolver of resolvers) {
    const value = resolver.resolve(request);
    pending ||= value instanceof Promise;
    values.push(value);
  }
  return pending ? Promise.all(values) : values;
}
