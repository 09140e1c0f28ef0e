import type { RouteOperation, RouteSchemas, ValueResolver } from '#controller';
import { declaredArguments, schemasOf } from '#controller';
import type { Route } from '#routing';
import type { PathTemplate } from './path-templates.js';

/** A route, one of its path's templates and one of its methods: what becomes an operation. */
export interface DescribedRoute {
  readonly route: Route;
  readonly template: PathTemplate;
  /** Upper case. */
  readonly method: string;
  readonly controller: unknown;
  readonly operation: RouteOperation;
  readonly schemas: RouteSchemas | undefined;
  readonly resolvers: readonly ValueResolver[];
  /** Unique in the document. */
  readonly id: string;
}

/** What is said of a route beside its path; `operation: false` keeps it out of the document. */
export type OperationSource = Pick<DescribedRoute, 'controller' | 'schemas' | 'resolvers'> & {
  readonly operation: RouteOperation | false;
};

/** Reads a route's target by its members: a second copy of the package may have made it. */
export function routeFacts({ target }: Route): OperationSource {
  const controller = memberOf(target, 'controller') ?? target;
  const given = memberOf(target, 'arguments');
  const operation = memberOf(target, 'operation');
  const resolvers = Array.isArray(given) ? (given as readonly ValueResolver[]) : undefined; // the framework put it there
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
