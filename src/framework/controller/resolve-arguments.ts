import { annotate, type AttributeType, defineAttribute } from '#core/attributes';
import { isCodedError } from '#core/coded-error';
import { isHttpError } from '#core/errors';
import type { HttpRequest } from '#core/http';
import { controllerErrors } from './error-codes.js';

/**
 * Resolves a controller's arguments in order; returns a promise only if a resolver returned one. Rethrows a resolver's
 * `HttpError` or coded error unchanged; any other thrown value becomes the cause of `CONTROLLER_ARGUMENT_FAILED`, which
 * names the argument.
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
      void Promise.allSettled(values); // handles rejections from earlier arguments, which nothing awaits any more
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

/** Port: resolves one controller argument. */
export interface ValueResolver<Value = unknown> {
  /** The argument's name in records, in messages, and as the subject of access checks. */
  readonly name: string;
  /**
   * Name of the route parameter that it reads. Registering the controller for a route without that parameter throws.
   */
  readonly routeParameter?: string;
  /** Returns the value or a promise. Throws an `HttpError` if the request is invalid. */
  resolve(request: HttpRequest): Value | Promise<Value>;
}

type ResolvedValues<Resolvers extends readonly ValueResolver[]> = {
  [Index in keyof Resolvers]: Resolvers[Index] extends ValueResolver<infer Value> ? Value : never;
};

type ParametersRead<Resolver> = Resolver extends { readonly routeParameter: infer Name extends string }
  ? string extends Name
    ? never
    : Name
  : never;

/**
 * Declares a controller function's arguments, with matching types, and returns it:
 * `withArguments([routeParameter('id', toInteger)], (id) => …)`.
 */
export function withArguments<const Resolvers extends readonly ValueResolver[], Result>(
  resolvers: Resolvers,
  controller: (...values: ResolvedValues<Resolvers>) => Result,
): ((...values: ResolvedValues<Resolvers>) => Result) & ReadsParameters<ParametersRead<Resolvers[number]>> {
  return annotate(controller, controllerArguments.of(resolvers));
}

declare const parametersRead: unique symbol;

/** For the compiler only: the route parameters that a controller reads. Its route's path must contain them. */
export interface ReadsParameters<Names extends string> {
  readonly [parametersRead]?: Names;
}

/** Attribute with a controller's arguments: `@controllerArguments.on([routeParameter('id')])`. */
export const controllerArguments: AttributeType<readonly ValueResolver[]> =
  defineAttribute<readonly ValueResolver[]>('arguments');
