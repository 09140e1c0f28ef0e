import { annotate } from '#attributes';
import { controllerArguments } from './controller-arguments.js';
import type { ReadsParameters } from './reads-parameters.js';
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
 * A controller with its arguments, whose types must fit: `withArguments([routeParameter('id', toInteger)], (id) => …)`.
 * Declares them on the function and gives it back.
 */
export function withArguments<const Resolvers extends readonly ValueResolver[], Result>(
  resolvers: Resolvers,
  controller: (...values: ResolvedValues<Resolvers>) => Result,
): ((...values: ResolvedValues<Resolvers>) => Result) & ReadsParameters<ParametersRead<Resolvers[number]>> {
  return annotate(controller, controllerArguments.of(resolvers));
}
