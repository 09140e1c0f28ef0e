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
 * Declares the arguments of a controller function, with matching types, and returns it:
 * `withArguments([routeParameter('id', toInteger)], (id) => …)`.
 */
export function withArguments<const Resolvers extends readonly ValueResolver[], Result>(
  resolvers: Resolvers,
  controller: (...values: ResolvedValues<Resolvers>) => Result,
): ((...values: ResolvedValues<Resolvers>) => Result) & ReadsParameters<ParametersRead<Resolvers[number]>> {
  return annotate(controller, controllerArguments.of(resolvers));
}

declare const parametersRead: unique symbol;

/** Only for the compiler: the route parameters that a controller reads. The path of its route must have them. */
export interface ReadsParameters<Names extends string> {
  readonly [parametersRead]?: Names;
}

/** Attribute with the arguments of a controller: `@controllerArguments.on([routeParameter('id')])`. */
export const controllerArguments: AttributeType<readonly ValueResolver[]> =
  defineAttribute<readonly ValueResolver[]>('arguments');
