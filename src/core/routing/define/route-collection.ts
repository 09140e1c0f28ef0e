import { findNearest } from '#core/coded-error';
import { anObject, callable, checkOptions, checkValue, either, listOf } from '#core/options';
import {
  buildRoute,
  type FlatDefinition,
  flattenDefinition,
  type JoinedGroup,
  joinGroup,
  refuseDefinition,
  slugOf,
} from './build-route.js';
import { routingErrors } from '../pattern/error-codes.js';
import { type GroupDefinition, type RouteDefinition, type Route, routeSchema, groupSchema } from './route.js';

/** Adds routes to a collection, or to a group that shares a path, a name prefix, a host … */
export type RouteCollector = (routes: RouteCollection) => void;

/**
 * Routes in the order they are tried. Definitions are validated when they are added; `compileRoutes` prepares matching.
 */
export class RouteCollection {
  readonly #state: CollectionState;
  readonly #group: JoinedGroup;

  constructor(
    state: CollectionState = { routes: new Map(), names: new Map(), version: 0 },
    group: JoinedGroup = {},
  ) {
    this.#state = state;
    this.#group = group;
  }

  /**
   * Adds one route, or one for each locale of a localised path. To replace a route, remove it first.
   * @throws ROUTING_DUPLICATE_NAME if a route already has the name; the coded errors for invalid definitions
   */
  add(definition: RouteDefinition): readonly Route[] {
    checkOptions(`The route ${JSON.stringify(definition.path)}`, definition, routeSchema);
    const flat = flattenDefinition(definition, this.#group);
    const routes = flat.map((one) =>
      buildRoute(one.name === '' ? { ...one, name: this.#freeName(one) } : one),
    );
    refuseUnusedRequirements(definition, routes);
    for (const route of routes) this.#refuseTaken(route);
    for (const route of routes) this.#put(route);
    return routes;
  }

  /** Adds routes that share the `group` options. Groups can be nested. */
  group(group: GroupDefinition, collect: RouteCollector | readonly RouteDefinition[]): this {
    checkOptions(`The group ${JSON.stringify(group.path ?? '')}`, group, groupSchema);
    const inner = new RouteCollection(this.#state, joinGroup(this.#group, group));
    if (typeof collect === 'function') collect(inner);
    else for (const definition of collect) inner.add(definition);
    return this;
  }

  /** Removes a route (all its locales). Returns false if there was none. */
  remove(name: string): boolean {
    const { routes } = this.#state;
    const removed = [...routes.values()].filter((route) => route.name === name || route.key === name);
    for (const { key } of removed) routes.delete(key);
    this.#state.names = new Map([...routes.values()].map((route) => [route.name, route]));
    this.#state.version += 1;
    return removed.length > 0;
  }

  /** Returns all routes in the order they are tried: by priority, then in the order they were added. */
  all(): readonly Route[] {
    return [...this.#state.routes.values()].sort((a, b) => b.priority - a.priority);
  }

  /** Returns the route with a name or a `name.locale`. */
  find(name: string): Route | undefined {
    return this.#state.routes.get(name) ?? this.all().find((route) => route.name === name);
  }

  get size(): number {
    return this.#state.routes.size;
  }

  /** Increases with every change, so that outdated compiled routes can be detected. */
  get version(): number {
    return this.#state.version;
  }

  #put(route: Route): void {
    this.#state.routes.set(route.key, route);
    this.#state.names.set(route.name, route);
    this.#state.version += 1;
  }

  /** Throws if the name is taken. A name belongs to one route, or to one localised route with one path per locale. */
  #refuseTaken(route: Route): void {
    const { routes, names } = this.#state;
    const isLocalised = route.key !== route.name;
    const other = routes.get(route.key) ?? (isLocalised ? routes : names).get(route.name);
    if (other === undefined) return;
    throw routingErrors.create('ROUTING_DUPLICATE_NAME', {
      route: route.key,
      definition: describeRoute(route),
      owner: describeRoute(other),
    });
  }

  #freeName(definition: FlatDefinition): string {
    const methods =
      typeof definition.methods === 'string' ? [definition.methods] : (definition.methods ?? []);
    const text = [...methods, definition.path.replace(/<[^{}]*>|\?[^{}]*(?=\})/g, '')].join('_');
    const base = slugOf(text);
    let name = base;
    const { routes, names } = this.#state;
    const isTaken = (): boolean => routes.has(name) || names.has(name);
    for (let number = 1; isTaken(); number += 1) name = `${base}_${number}`;
    return name;
  }
}

/** Refuses a requirement for a variable that none of the route's paths has. A group's requirements may apply to only some of its routes. */
function refuseUnusedRequirements({ requirements = {} }: RouteDefinition, routes: readonly Route[]): void {
  const variables = new Set(routes.flatMap((route) => route.variables));
  const [route] = routes;
  for (const name of Object.keys(requirements)) {
    if (variables.has(name) || route === undefined) continue;
    const [nearest] = findNearest(name, [...variables]);
    const problem = `it has a requirement for "${name}", which is not a variable in its path`;
    refuseDefinition(
      route.name,
      problem,
      nearest === undefined ? 'Remove it.' : `Did you mean "${nearest}"?`,
    );
  }
}

interface CollectionState {
  readonly routes: Map<string, Route>;
  /** One route for each name: a localised definition's routes share one. */
  names: Map<string, Route>;
  version: number;
}

/** Creates a collection from a list of definitions, or from a function that adds routes. */
export function createRoutes(source: readonly RouteDefinition[] | RouteCollector = []): RouteCollection {
  checkValue('createRoutes()', 'source', source, either(listOf(anObject()), callable()));
  const routes = new RouteCollection();
  if (typeof source === 'function') source(routes);
  else for (const definition of source) routes.add(definition);
  return routes;
}

function describeRoute({ methods, path }: Route): string {
  return [methods.join('|'), path].filter((part) => part !== '').join(' ');
}
