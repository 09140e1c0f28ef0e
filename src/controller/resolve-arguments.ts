import { isCodedError } from '#coded-error';
import { isHttpError } from '#errors';
import type { HttpRequest } from '#http';
import { controllerErrors } from './error-codes.js';
import type { ValueResolver } from './value-resolver.js';

/**
 * The values of a controller's arguments, in order; a promise only if a resolver returned one. An `HttpError` or a
 * coded error of a resolver reaches the kernel unchanged, anything else as `CONTROLLER_ARGUMENT_FAILED` that names the
 * argument, with the thrown value as its cause.
 */
export function resolveArguments(
  resolvers: readonly ValueResolver[],
  request: HttpRequest,
): unknown[] | Promise<unknown[]> {
  // oxlint-disable-next-line unicorn/no-new-array -- the length is meant
  const values = new Array<unknown>(resolvers.length);
  let isPending = false;
  for (let at = 0; at < resolvers.length; at++) {
    const resolver = resolvers[at];
    if (resolver === undefined) continue;
    try {
      const value = resolver.resolve(request);
      if (value instanceof Promise) isPending = true;
      values[at] = value instanceof Promise ? named(value, resolver) : value;
    } catch (error) {
      void Promise.allSettled(values); // nothing awaits the promises that were begun before this one
      throw failure(error, resolver);
    }
  }
  return isPending ? Promise.all(values) : values;
}

async function named(value: Promise<unknown>, resolver: ValueResolver): Promise<unknown> {
  try {
    return await value;
  } catch (error) {
    throw failure(error, resolver);
  }
}

function failure(error: unknown, resolver: ValueResolver): unknown {
  if (isHttpError(error) || isCodedError(error)) return error;
  return controllerErrors.create('CONTROLLER_ARGUMENT_FAILED', { argument: resolver.name }, { cause: error });
}
