import type { FlatDefinition } from './build-route.js';
import { routingErrors } from '../pattern/error-codes.js';
import type {
  GroupDefinition,
  PathOption,
  RouteDefinition,
  SharedRouteOptions,
  RouteCondition,
} from './route.js';

/** Combines an outer and an inner group. */
export function joinGroup(outer: GroupDefinition, inner: GroupDefinition): GroupDefinition {
  const name = (outer.name ?? '') + (inner.name ?? '');
  const path = joinPaths(outer.path, inner.path, name);
  return { ...joinShared(outer, inner), name, ...(path === undefined ? {} : { path }) };
}

/** Applies a group to a definition; returns one result for each locale of a localised path. */
export function flattenDefinition(definition: RouteDefinition, group: GroupDefinition): FlatDefinition[] {
  if (isFlat(definition) && Object.keys(group).length === 0) return [definition];
  const name = definition.name === undefined ? '' : (group.name ?? '') + definition.name;
  const path = joinPaths(group.path, definition.path, name) ?? '';
  const shared = { ...joinShared(group, definition), name, target: definition.target };
  if (typeof path === 'string') return [{ ...shared, path }];
  return Object.entries(path).map(([pathLocale, one]) => ({
    ...shared,
    name: name === '' ? slugOf(Object.values(path)[0] ?? '') : name,
    path: one,
    pathLocale,
  }));
}

function isFlat(definition: RouteDefinition): definition is RouteDefinition & FlatDefinition {
  return definition.name !== undefined && typeof definition.path === 'string';
}

/** Applies a group to a definition; the result is equivalent outside of the group. */
export function groupDefinition(group: GroupDefinition, definition: RouteDefinition): RouteDefinition {
  const name = (group.name ?? '') + (definition.name ?? '');
  const path = joinPaths(group.path, definition.path, name) ?? '';
  return {
    ...definition, // includes properties of other modules, such as the controller
    ...joinShared(group, definition),
    path,
    ...(definition.name === undefined ? {} : { name }),
  };
}

/** Derives a name of letters, digits and underscores from a path. */
export function slugOf(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '_')
      .replace(/^_+|_+$/g, '') || 'root'
  );
}

function joinShared(outer: SharedRouteOptions, inner: SharedRouteOptions): SharedRouteOptions {
  const condition = joinConditions(outer.condition, inner.condition);
  return {
    ...definedOf(outer),
    ...definedOf(inner),
    defaults: { ...outer.defaults, ...inner.defaults },
    requirements: { ...outer.requirements, ...inner.requirements },
    converters: { ...outer.converters, ...inner.converters },
    options: { ...outer.options, ...inner.options },
    ...(condition === undefined ? {} : { condition }),
  };
}

const sharedNames = ['methods', 'host', 'schemes', 'priority', 'stateless', 'locale', 'format'] as const;

function definedOf(options: SharedRouteOptions): SharedRouteOptions {
  const given = sharedNames.filter((name) => options[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, options[name]])) as SharedRouteOptions; // a subset of its fields
}

function joinConditions(
  outer: RouteCondition | undefined,
  inner: RouteCondition | undefined,
): RouteCondition | undefined {
  if (outer === undefined || inner === undefined) return inner ?? outer;
  return (context, request, parameters) =>
    outer(context, request, parameters) && inner(context, request, parameters);
}

/** Joins paths. The result is localised if one of them is; if both are, they must have the same locales. */
function joinPaths(
  outer: PathOption | undefined,
  inner: PathOption | undefined,
  route: string,
): PathOption | undefined {
  if (outer === undefined) return inner;
  if (inner === undefined) return outer;
  if (typeof outer === 'string') {
    return typeof inner === 'string'
      ? joinPath(outer, inner)
      : mapPaths(inner, (path) => joinPath(outer, path));
  }
  if (typeof inner === 'string') return mapPaths(outer, (prefix) => joinPath(prefix, inner));
  const missing = Object.keys(outer).filter((locale) => !Object.hasOwn(inner, locale));
  if (missing.length > 0) {
    throw routingErrors.create('ROUTING_MISSING_LOCALES', { route, locales: missing.join(', ') });
  }
  return mapPaths(inner, (path, locale) => {
    const prefix = Object.hasOwn(outer, locale) ? outer[locale] : undefined;
    if (prefix === undefined) throw routingErrors.create('ROUTING_MISSING_PREFIX', { route, locale });
    return joinPath(prefix, path);
  });
}

function mapPaths(
  paths: Readonly<Record<string, string>>,
  change: (path: string, locale: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(paths).map(([locale, path]) => [locale, change(path, locale)]));
}

function joinPath(prefix: string, path: string): string {
  const head = prefix.trim().replace(/\/+$/, '');
  const tail = path.trim().replace(/^\/+/, '');
  return path === '' ? head || '/' : `${head}/${tail}`;
}
