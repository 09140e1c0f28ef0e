import { annotate } from '#attributes';
import { controllerArguments } from './controller-arguments.js';
import type { ValueResolver } from './value-resolver.js';

type ResolvedValues<Resolvers extends readonly ValueResolver[]> = {
  [Index in keyof Resolvers]: Resolvers[Index] extends ValueResolver<infer Value> ? Value : never;
};

/**
 * A controller with its arguments, whose types must fit: `withArguments([routeParameter('id', toInteger)], (id) => …)`.
 * Declares them on the function and gives it back.
 */
export function withArguments<const Resolvers extends readonly ValueResolver[], Result>(
  resolvers: Resolvers,
  controller: (...values: ResolvedValues<Resolvers>) => Result,
): (...values: ResolvedValues<Resolvers>) => Result {
  return annotate(controller, controllerArguments.of(resolvers));
}
