import { type RouteOperation, type RouteSchemas, schemasOf } from '#framework/controller';
import { encodePath, type Route } from '#core/routing';
import type { JsonSchema } from './open-api-document.js';

/** A route with one of its path templates and one of its methods, which together form an operation. */
export interface DescribedRoute {
  readonly route: Route;
  readonly template: PathTemplate;
  /** In upper case. */
  readonly method: string;
  readonly controller: unknown;
  readonly operation: RouteOperation;
  readonly schemas: RouteSchemas | undefined;
  /** Operation id, unique in the document. */
  readonly id: string;
}

/** A route's description besides its path. `operation: false` excludes it from the document. */
type OperationSource = Pick<DescribedRoute, 'controller' | 'schemas'> & {
  readonly operation: RouteOperation | false;
};

/** Reads a route's target by its members, because another copy of the package may have created it. */
export function routeFacts({ target }: Route): OperationSource {
  const controller = memberOf(target, 'controller') ?? target;
  const operation = memberOf(target, 'operation');
  return {
    controller,
    schemas: schemasOf(controller),
    operation: operation === false || (typeof operation === 'object' && operation !== null) ? operation : {},
  };
}

function memberOf(target: unknown, name: string): unknown {
  if (typeof target !== 'object' || target === null || Array.isArray(target)) return undefined;
  return Object.getOwnPropertyDescriptor(target, name)?.value;
}

/** A path in OpenAPI syntax, with its variables. */
export interface PathTemplate {
  readonly path: string;
  readonly variables: readonly string[];
  /** Names of the variables in the path. They differ from the route's if another route defined the path first. */
  readonly shown: readonly string[];
}

/**
 * Returns a path's templates: OpenAPI has no optional variables, so there is one for each number of given
 * variables.
 */
export function pathTemplates(route: Route): readonly PathTemplate[] {
  const { tokens } = route.pattern;
  const lengths = [tokens.length];
  for (let length = tokens.length - 1; length >= 0; length--) {
    const token = tokens[length];
    if (token?.kind !== 'variable' || token.always || !Object.hasOwn(route.defaults, token.name)) break;
    lengths.push(length);
  }
  return lengths.map((length) => templateOf(tokens.slice(0, length)));
}

function templateOf(tokens: Route['pattern']['tokens']): PathTemplate {
  const variables: string[] = [];
  let path = '';
  for (const token of tokens) {
    if (token.kind === 'text') path += encodePath(token.text);
    else {
      path += `${token.prefix}{${token.name}}`;
      variables.push(token.name);
    }
  }
  return { path: path === '' ? '/' : path, variables, shown: variables };
}

const plainWords = /^[\w-]+(?:\|[\w-]+)*$/;

/** Returns a variable's schema, as far as it can be derived from the requirement. */
export function variableSchema(route: Route, name: string): JsonSchema {
  const requirement = Object.hasOwn(route.requirements, name) ? route.requirements[name] : undefined;
  if (requirement === undefined) return { type: 'string' };
  if (plainWords.test(requirement)) return { type: 'string', enum: requirement.split('|') };
  return { type: 'string', pattern: `^(?:${requirement})$` };
}
