import { type CompiledRoutes, compileRoutes } from '../compile/compile-routes.js';
import type { RouteLeaf } from '../compile/path-shape.js';
import type { RouteCollection } from '../define/route-collection.js';
import type { Route } from '../define/route.js';
import type { PatternToken, VariableToken } from '../pattern/parse-pattern.js';
import { createValueMatcher, findRequirement } from '../pattern/requirement.js';

/** A problem of a route that is valid but probably not intended. */
export interface RouteFinding {
  readonly rule: 'shadowed' | 'unused-requirement';
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
  return compiled.routes.flatMap((route) => [
    ...lintShadow(route, shadows.get(route)),
    ...lintRequirements(route, variables),
  ]);
}

function lintShadow(route: Route, shadow: Route | undefined): RouteFinding[] {
  if (shadow === undefined) return [];
  const message = `never matches: "${shadow.name}" (${shadow.path}) stands before it and takes every request it could take`;
  return [finding(route, { rule: 'shadowed', severity: 'error', message })];
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

function finding(
  route: Route,
  { rule, severity, message }: Pick<RouteFinding, 'rule' | 'severity' | 'message'>,
): RouteFinding {
  return { rule, severity, route: route.key, path: route.path, message };
}

/** One segment of a path: literal text, a single variable, or a mixture as source text. */
type Segment =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'variable';
      readonly route: Route;
      readonly token: VariableToken;
      readonly requirement: string | undefined;
    }
  | { readonly kind: 'mixed'; readonly text: string };

interface Form {
  readonly route: Route;
  readonly segments: readonly Segment[];
}

/**
 * Finds routes that can never match, each with an earlier route that matches all of its requests. Compares segment by
 * segment; cases that require a comparison of whole regular languages are not found.
 */
function findShadows(compiled: CompiledRoutes): Map<Route, Route> {
  const shadows = new Map<Route, Route>();
  const earlier = new Map<string, Form[]>();
  for (const [route, forms] of collectForms(compiled.leaves)) {
    const shadowing = forms.map((form) => candidates(earlier, form).find((other) => covers(other, form)));
    const [first] = shadowing;
    if (first !== undefined && shadowing.every((one) => one !== undefined)) shadows.set(route, first.route);
    for (const form of forms) earlier.set(formKey(form), [...(earlier.get(formKey(form)) ?? []), form]);
  }
  return shadows;
}

/** Returns a key of number of segments and first literal: only forms with the same key, or an open one, can cover a form. */
function formKey({ segments }: Form): string {
  const [first] = segments;
  if (endsOpen(segments)) return '**';
  return `${segments.length} ${first?.kind === 'text' ? first.text : '*'}`;
}

function candidates(earlier: ReadonlyMap<string, readonly Form[]>, form: Form): Form[] {
  const keys = new Set([formKey(form), `${form.segments.length} *`, '**']);
  return [...keys].flatMap((key) => earlier.get(key) ?? []);
}

/** Collects the possible forms of each route's path. */
function collectForms(leaves: readonly RouteLeaf[]): Map<Route, Form[]> {
  const forms = new Map<Route, Form[]>();
  for (const { route, variables } of leaves) {
    const present = new Set(variables);
    const tokens = route.pattern.tokens.filter((token) => token.kind === 'text' || present.has(token.name));
    const form = { route, segments: splitSegments(route, tokens) };
    forms.set(route, [...(forms.get(route) ?? []), form]);
  }
  return forms;
}

function splitSegments(route: Route, tokens: readonly PatternToken[]): Segment[] {
  const groups: (string | VariableToken)[][] = [[]];
  for (const token of tokens) {
    const [head = '', ...more] = (token.kind === 'text' ? token.text : token.prefix).split('/');
    if (head !== '') groups.at(-1)?.push(head);
    for (const text of more) groups.push(text === '' ? [] : [text]);
    if (token.kind === 'variable') groups.at(-1)?.push(token);
  }
  return groups.slice(1).map((parts): Segment => {
    const [only] = parts;
    if (only === undefined) return { kind: 'text', text: '' };
    if (parts.length === 1 && typeof only === 'string') return { kind: 'text', text: only };
    if (parts.length === 1 && typeof only === 'object') {
      const requirement = findRequirement(route, only)?.source;
      return { kind: 'variable', route, token: only, requirement };
    }
    const written = parts.map((part) =>
      typeof part === 'string' ? part : `{${route.requirements[part.name] ?? ''}}`,
    );
    return { kind: 'mixed', text: written.join('') };
  });
}

function covers(one: Form, other: Form): boolean {
  const [a, b] = [one.route, other.route];
  if (a.condition !== undefined || Object.keys(a.converters).length > 0) return false;
  if (a.host !== undefined && a.host !== b.host) return false;
  if (!includesAll(a.methods, b.methods)) return false;
  const open = endsOpen(one.segments);
  const count = open ? one.segments.length - 1 : one.segments.length;
  if (open ? other.segments.length <= count : other.segments.length !== count) return false;
  const next = other.segments[count];
  // An open end covers an empty last segment only if its requirement allows an empty value.
  if (open && other.segments.length === count + 1 && next?.kind === 'text' && next.text === '') return false;
  return one.segments
    .slice(0, count)
    .every((segment, index) => coversSegment(segment, other.segments[index]));
}

function includesAll(more: readonly string[], fewer: readonly string[]): boolean {
  return more.length === 0 || (fewer.length > 0 && fewer.every((one) => more.includes(one)));
}

function coversSegment(one: Segment, other: Segment | undefined): boolean {
  if (other === undefined) return false;
  if (one.kind !== 'variable') return one.kind === other.kind && one.text === other.text;
  if (other.kind === 'text')
    return other.text !== '' && createValueMatcher(one.route, one.token).test(other.text);
  if (other.kind === 'mixed') return one.requirement === undefined && one.token.stops === '/';
  if (one.requirement !== undefined) return one.requirement === other.requirement;
  const read = findRequirement(other.route, other.token);
  return one.token.stops === '/' && read?.canHoldSlash !== true && read?.canBeEmpty !== true;
}

/** Whether the last segment is a variable that matches any remainder. */
function endsOpen(segments: readonly Segment[]): boolean {
  const last = segments.at(-1);
  return last?.kind === 'variable' && (last.requirement === '.+' || last.requirement === '.*');
}
