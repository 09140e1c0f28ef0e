import { isCodedError } from '#coded-error';
import { isHttpError } from '#errors';
import type { HttpRequest } from '#http';
import { controllerErrors } from './error-codes.js';
import type { ValueResolver } from './value-resolver.js';

/**
 * The values of a controller's arguments, in order; a promise only where a resolver gave one. What a resolver throws
 * reaches the kernel as it is where it says what it means (an `HttpError` or a coded error), and else as
 * `CONTROLLER_ARGUMENT_FAILED` that names the argument, with the thrown value as its cause.
 */
export function resolveArguments(
  resolvers: readonly ValueResolver[],
  request: HttpRequest,
): unknown[] | Promise<unknown[]> {
  const values: unknown[] = [];
  let pending: Promise<unknown>[] | undefined;
  for (const resolver of resolvers) {
    try {
      const value = resolver.resolve(request);
      values.push(value instanceof Promise ? named(value, resolver) : value);
    } catch (error) {
      void Promise.allSettled(values); // the promises begun before this are nobody's now
      throw failure(error, resolver);
    }
    const last = values.at(-1);
    if (last instanceof Promise) (pending ??= []).push(last);
  }
  return pending === undefined ? values : Promise.all(values);
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
