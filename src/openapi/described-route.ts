import type { RouteOperation, RouteSchemas, ValueResolver } from '#controller';
import { declaredArguments, schemasOf } from '#controller';
import type { Route } from '#routing';
import type { PathTemplate } from './path-templates.js';

/** A route with one of its path templates and one of its methods, which make up an operation. */
export interface DescribedRoute {
  readonly route: Route;
  readonly template: PathTemplate;
  /** In upper case. */
  readonly method: string;
  readonly controller: unknown;
  readonly operation: RouteOperation;
  readonly schemas: RouteSchemas | undefined;
  readonly resolvers: readonly ValueResolver[];
  /** Operation id, unique in the document. */
  readonly id: string;
}

/** The description of a route in addition to its path. `operation: false` excludes it from the document. */
export type OperationSource = Pick<DescribedRoute, 'controller' | 'schemas' | 'resolvers'> & {
  readonly operation: RouteOperation | false;
};

/** Reads a route's target by its members, because a second copy of the package may have created it. */
export function routeFacts({ target }: Route): OperationSource {
  const controller = memberOf(target, 'controller') ?? target;
  const given = memberOf(target, 'arguments');
  const operation = memberOf(target, 'operation');
  const resolvers = Array.isArray(given) ? (given as readonly ValueResolver[]) : undefined; // set by the framework
  return {
    controller,
    schemas: schemasOf(controller),
    resolvers: resolvers ?? declaredArguments(controller) ?? [],
    operation: operation === false || (typeof operation === 'object' && operation !== null) ? operation : {},
  };
}

function memberOf(target: unknown, name: string): unknown {
  if (typeof target !== 'object' || target === null || Array.isArray(target)) return undefined;
  return Object.getOwnPropertyDescriptor(target, name)?.value;
}
