import { compileRoutes } from '../compile/compile-routes.js';
import { findShadows } from './find-shadows.js';
import type { RouteCollection } from '../define/route-collection.js';
import type { Route } from '../define/route.js';
import { createValueMatcher } from '../pattern/token-matcher.js';

/** A problem of a route that is valid but probably not intended. */
export interface RouteFinding {
  readonly rule:
    | 'shadowed'
    | 'no-controller'
    | 'default-against-requirement'
    | 'unused-requirement'
    | 'never-requested'
    | 'unknown-alias-target';
  readonly severity: 'error' | 'warning';
  readonly route: string;
  readonly path: string;
  readonly message: string;
}

/** Returns the problems of all routes, in the order in which the routes are tried. */
export function lintRoutes(collection: RouteCollection): RouteFinding[] {
  const compiled = compileRoutes(collection);
  const shadows = findShadows(compiled);
  const variables = new Set(compiled.routes.flatMap((route) => route.variables));
  const findings = compiled.routes.flatMap((route) => [
    ...lintShadow(route, shadows.get(route)),
    ...lintPath(route),
    ...lintDefaults(route),
    ...lintRequirements(route, variables),
    ...lintTarget(route),
  ]);
  return [...findings, ...lintAliases(collection)];
}

function lintShadow(route: Route, shadow: Route | undefined): RouteFinding[] {
  if (shadow === undefined) return [];
  const message = `never matches: "${shadow.name}" (${shadow.path}) stands before it and takes every request it could take`;
  return [finding(route, { rule: 'shadowed', severity: 'error', message })];
}

/** Reports text in a path that the decoded path of a browser's request never contains. */
function lintPath(route: Route): RouteFinding[] {
  const text = route.pattern.tokens
    .map((token) => (token.kind === 'text' ? token.text : `${token.prefix}x`))
    .join('');
  const problems: [RegExp, string][] = [
    [/%[0-9A-Fa-f]{2}/, 'is written percent-encoded, but paths are compared decoded'],
    [/(?:^|\/)\.\.?(?:\/|$)/, 'holds a dot segment, which clients resolve before they send a request'],
    [/\/\//, 'holds an empty segment'],
    [/[?#]/, 'holds "?" or "#", where a path ends in a URL'],
  ];
  return problems.flatMap(([form, message]) =>
    form.test(text)
      ? [finding(route, { rule: 'never-requested', severity: 'warning', message: `its path ${message}` })]
      : [],
  );
}

function lintDefaults(route: Route): RouteFinding[] {
  return route.pattern.tokens.flatMap((token) => {
    if (token.kind === 'text' || route.requirements[token.name] === undefined) return [];
    const fallback = route.defaults[token.name];
    const text = typeof fallback === 'number' ? String(fallback) : fallback;
    if (typeof text !== 'string' || createValueMatcher(route, token).test(text)) return [];
    const message = `the default "${text}" of "${token.name}" is not what its requirement takes`;
    return [finding(route, { rule: 'default-against-requirement', severity: 'warning', message })];
  });
}

function lintRequirements(route: Route, variables: ReadonlySet<string>): RouteFinding[] {
  return Object.keys(route.requirements).flatMap((name) => {
    if (variables.has(name) || name.startsWith('_')) return [];
    return [
      finding(route, {
        rule: 'unused-requirement',
        severity: 'warning',
        message: `it has a requirement for "${name}", which is in no path`,
      }),
    ];
  });
}

function lintTarget(route: Route): RouteFinding[] {
  if (route.target !== undefined && route.target !== null) return [];
  return [finding(route, { rule: 'no-controller', severity: 'error', message: 'it has no controller' })];
}

function lintAliases(collection: RouteCollection): RouteFinding[] {
  const aliases = collection.aliases();
  const isKnown = (name: string): boolean =>
    collection.find(name) !== undefined || aliases.some((alias) => alias.name === name);
  return aliases.flatMap(({ name, target }): RouteFinding[] => {
    if (isKnown(target)) return [];
    const message = `the alias stands for "${target}", and there is no route of that name`;
    return [{ rule: 'unknown-alias-target', severity: 'error', route: name, path: '', message }];
  });
}

function finding(
  route: Route,
  { rule, severity, message }: Pick<RouteFinding, 'rule' | 'severity' | 'message'>,
): RouteFinding {
  return { rule, severity, route: route.key, path: route.path, message };
}
