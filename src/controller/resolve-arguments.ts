import { isCodedError } from '#coded-error';
import { isHttpError } from '#errors';
import type { HttpRequest } from '#http';
import { controllerErrors } from './error-codes.js';
import type { ValueResolver } from './value-resolver.js';

/**
 * Resolves the arguments of a controller in order; returns a promise only if a resolver returned one. Throws an `HttpError`
 * or a coded error of a resolver unchanged; anything else becomes `CONTROLLER_ARGUMENT_FAILED`, which names the argument
 * and has the thrown value as its cause.
 */
export function resolveArguments(
  resolvers: readonly ValueResolver[],
  request: HttpRequest,
): unknown[] | Promise<unknown[]> {
  // oxlint-disable-next-line unicorn/no-new-array -- the argument is a length
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
      void Promise.allSettled(values); // handles rejections of earlier arguments, which nothing awaits any more
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
