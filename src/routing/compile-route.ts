import { expressionSource } from './path-shape.js';
import type { Converter, Route } from './route.js';

/** A route with what matching needs beside it. */
export interface CompiledRoute {
  readonly route: Route;
  /** Lower-case host without variables; an expression where it has some. */
  readonly host: string | RegExp | undefined;
  readonly hostVariables: readonly string[];
  readonly methods: readonly string[];
  readonly schemes: readonly string[];
  readonly converters: readonly (readonly [string, Converter])[];
  readonly defaults: readonly (readonly [string, unknown])[];
}

/** Prepares what is asked of a route once its path fits. */
export function compileRoute(route: Route): CompiledRoute {
  const tokens = route.hostPattern?.tokens ?? [];
  const hostVariables = tokens.filter((token) => token.kind === 'variable').map((token) => token.name);
  const expression = new RegExp(`^${expressionSource(route, tokens)}$`, 'siu');
  return {
    route,
    host: hostVariables.length > 0 ? expression : route.host?.toLowerCase(),
    hostVariables,
    methods: route.methods,
    schemes: route.schemes,
    converters: Object.entries(route.converters).filter(([name]) => route.variables.includes(name)),
    defaults: Object.entries(route.defaults),
  };
}
