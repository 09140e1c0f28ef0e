import { routingErrors } from '../pattern/error-codes.js';
import { parsePath, parsePattern, type VariableToken } from '../pattern/parse-pattern.js';
import { readRequirement } from '../pattern/requirement.js';
import {
  type PathOption,
  type RouteDefinition,
  type SharedRouteOptions,
  createRecord,
  type Route,
} from './route.js';

/** The options that routes inherit from their groups; undefined means not given. */
type Shared = { readonly [Name in keyof SharedRouteOptions]?: SharedRouteOptions[Name] | undefined };

/** A group, joined with the groups around it. */
export interface JoinedGroup extends Shared {
  readonly name?: string;
  readonly path?: PathOption | undefined;
}

export function joinGroup(outer: JoinedGroup, inner: JoinedGroup): JoinedGroup {
  const name = (outer.name ?? '') + (inner.name ?? '');
  return { ...joinShared(outer, inner), name, path: joinPaths(outer.path, inner.path, name) };
}

/** Applies a group to a definition; returns one result for each locale of a localised path. */
export function flattenDefinition(definition: RouteDefinition, group: JoinedGroup): FlatDefinition[] {
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

/** Derives a name of letters, digits and underscores from a path. */
export function slugOf(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '_')
      .replace(/^_+|_+$/g, '') || 'root'
  );
}

function joinShared(outer: Shared, inner: Shared): Shared {
  return {
    methods: inner.methods ?? outer.methods,
    host: inner.host ?? outer.host,
    priority: inner.priority ?? outer.priority,
    defaults: { ...outer.defaults, ...inner.defaults },
    requirements: { ...outer.requirements, ...inner.requirements },
    condition: joinConditions(outer.condition, inner.condition),
  };
}

function joinConditions(outer: Shared['condition'], inner: Shared['condition']): Shared['condition'] {
  if (outer === undefined || inner === undefined) return inner ?? outer;
  return (...given) => outer(...given) && inner(...given);
}

/** Joins paths. The result is localised if one of them is; if both are, they must have the same locales. */
function joinPaths(
  outer: PathOption | undefined,
  inner: PathOption | undefined,
  route: string,
): PathOption | undefined {
  if (outer === undefined) return inner;
  if (inner === undefined) return outer;
  if (typeof outer === 'string' && typeof inner === 'string') return joinPath(outer, inner);
  const locales = [inner, outer].flatMap((paths) => (typeof paths === 'string' ? [] : Object.keys(paths)));
  const joined: Record<string, string> = {};
  const missing: string[] = [];
  for (const locale of new Set(locales)) {
    const [prefix, path] = [pathIn(locale, outer), pathIn(locale, inner)];
    if (prefix === undefined || path === undefined) missing.push(locale);
    else joined[locale] = joinPath(prefix, path);
  }
  if (missing.length === 0) return joined;
  throw routingErrors.create('ROUTING_MISSING_LOCALES', { route, locales: missing.join(', ') });
}

function pathIn(locale: string, paths: PathOption): string | undefined {
  if (typeof paths === 'string') return paths;
  return Object.hasOwn(paths, locale) ? paths[locale] : undefined;
}

function joinPath(prefix: string, path: string): string {
  const head = prefix.trim().replace(/(?<!\/)\/+$/, '');
  const tail = path.trim().replace(/^\/+/, '');
  return path === '' ? head || '/' : `${head}/${tail}`;
}

/** A definition with its groups applied, and with a single path for one locale. */
export interface FlatDefinition extends Shared {
  readonly name: string;
  readonly path: string;
  readonly pathLocale?: string | undefined;
  readonly target?: unknown;
}

/**
 * Validates a definition and applies all defaults. @throws the coded errors for invalid paths, requirements and
 * definitions
 */
export function buildRoute(definition: FlatDefinition): Route {
  const { name, pathLocale } = definition;
  const path = definition.path.trim();
  const pattern = parsePath(path, name);
  const host = definition.host?.toLowerCase() === '' ? undefined : definition.host;
  const hostPattern = host === undefined ? undefined : parsePattern(host, { route: name, main: '.' });
  const tokens = [...(hostPattern?.tokens ?? []), ...pattern.tokens];
  const variables = tokens.filter((token) => token.kind === 'variable');
  const names = variables.map(({ name: variable }) => asKey(variable));
  const twice = names.find((one, at) => names.indexOf(one) !== at);
  if (twice !== undefined) {
    const problem = `the variable "${twice}" appears in both its host and its path`;
    refuseDefinition(name, problem, 'Rename one of them.');
  }
  const defaults = readDefaults(definition, variables);
  const requirements = readRequirements(definition, variables);
  return Object.freeze({
    name,
    key: pathLocale === undefined ? name : `${name}.${pathLocale}`,
    locale: pathLocale,
    path,
    methods: readMethods(definition.methods, name),
    host,
    defaults,
    requirements,
    condition: definition.condition,
    priority: readPriority(definition),
    target: definition.target,
    variables: names,
    pattern,
    hostPattern,
  });
}

/**
 * Returns the same text as V8 stores property names. Setting a property by a text cut from a pattern took a microsecond in each
 * request, because V8 looked the name up again.
 */
function asKey(text: string): string {
  return Object.keys({ [text]: true })[0] ?? text;
}

function readDefaults(
  definition: FlatDefinition,
  variables: readonly VariableToken[],
): Readonly<Record<string, unknown>> {
  const { pathLocale, defaults } = definition;
  const entries: [string, unknown][] = [];
  for (const variable of variables) {
    if (variable.default !== undefined) entries.push([variable.name, variable.default]);
  }
  if (defaults !== undefined) entries.push(...Object.entries(defaults));
  if (pathLocale !== undefined) entries.push(['_locale', pathLocale]);
  return createRecord(entries);
}

function readRequirements(
  definition: FlatDefinition,
  variables: readonly VariableToken[],
): Readonly<Record<string, string>> {
  const requirements: [string, string][] = [];
  for (const { name, requirement } of variables) {
    if (requirement !== undefined) requirements.push([name, requirement]);
  }
  for (const [variable, requirement] of Object.entries(definition.requirements ?? {})) {
    requirements.push([variable, sourceOf(requirement, definition.name, variable)]);
  }
  const { pathLocale } = definition;
  if (pathLocale !== undefined && variables.some((one) => one.name === '_locale')) {
    requirements.push(['_locale', pathLocale.replace(/[^\w]/g, '\\$&')]); // each path matches only its own locale
  }
  for (const [variable, requirement] of requirements) {
    readRequirement(requirement, { route: definition.name, variable });
  }
  return createRecord(requirements);
}

function sourceOf(requirement: string | RegExp, route: string, variable: string): string {
  if (typeof requirement === 'string') return requirement;
  if (/^[dsuvgy]*$/.test(requirement.flags)) return requirement.source;
  return refuseDefinition(
    route,
    `the requirement for "${variable}" has the flags "${requirement.flags}"`,
    'Requirements cannot have flags. To ignore case, include both cases in the expression.',
  );
}

function readPriority(definition: FlatDefinition): number {
  const priority = definition.priority ?? 0;
  if (Number.isFinite(priority)) return priority;
  return refuseDefinition(definition.name, 'its priority is not a number', 'Use a finite number.');
}

function readMethods(given: string | readonly string[] | undefined, route: string): readonly string[] {
  if (given === undefined || given.length === 0) return Object.freeze([]);
  const list = (typeof given === 'string' ? given.split(/[|,\s]+/) : given).map((word) => {
    if (/^[!#$%&'*+.^_`|~\w-]+$/.test(word)) return word.toUpperCase();
    return refuseDefinition(
      route,
      `"${word}" is not a method`,
      'Pass each method as one word, such as ["GET", "POST"].',
    );
  });
  return Object.freeze([...new Set(list)]);
}

export function refuseDefinition(route: string, problem: string, hint: string): never {
  throw routingErrors.create('ROUTING_BAD_DEFINITION', { route, problem, hint });
}
