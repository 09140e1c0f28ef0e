import { annotate, type AttributeType, defineAttribute } from '#attributes';
import type { ValueResolver } from './value-resolver.js';

type ResolvedValues<Resolvers extends readonly ValueResolver[]> = {
  [Index in keyof Resolvers]: Resolvers[Index] extends ValueResolver<infer Value> ? Value : never;
};

type ParametersRead<Resolver> = Resolver extends { readonly routeParameter: infer Name extends string }
  ? string extends Name
    ? never
    : Name
  : never;

/**
 * A controller with its arguments, whose types must fit:
 * `withArguments([routeParameter('id', toInteger)], (id) => …)`. Declares them on the function and returns it.
 */
export function withArguments<const Resolvers extends readonly ValueResolver[], Result>(
  resolvers: Resolvers,
  controller: (...values: ResolvedValues<Resolvers>) => Result,
): ((...values: ResolvedValues<Resolvers>) => Result) & ReadsParameters<ParametersRead<Resolvers[number]>> {
  return annotate(controller, controllerArguments.of(resolvers));
}

declare const parametersRead: unique symbol;

/** For the compiler only: the route parameters that a controller reads. The path of its route must have them. */
export interface ReadsParameters<Names extends string> {
  readonly [parametersRead]?: Names;
}

/** The arguments of a controller, declared on it: `@controllerArguments.on([routeParameter('id')])`. */
export const controllerArguments: AttributeType<readonly ValueResolver[]> =
  defineAttribute<readonly ValueResolver[]>('arguments');
