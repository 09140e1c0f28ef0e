import { type CompiledRoutes, compileRoutes } from '../compile/compile-routes.js';
import type { RouteLeaf } from '../compile/path-shape.js';
import type { RouteCollection } from '../define/route-collection.js';
import type { Route } from '../define/route.js';
import type { PatternToken, VariableToken } from '../pattern/parse-pattern.js';
import { createValueMatcher, findRequirement } from '../pattern/requirement.js';

/** A problem of a route that is valid but probably not intended. */
export interface RouteFinding {
  readonly rule:
    | 'shadowed'
    | 'no-controller'
    | 'default-against-requirement'
    | 'unused-requirement'
    | 'never-requested'
    | 'slow-requirement';
  readonly severity: 'error' | 'warning';
  readonly route: string;
  readonly path: string;
  readonly message: string;
}

/** Returns how the time of an expression can grow with the text: the degree of a polynomial, Infinity if exponentially. */
type GrowthCheck = (expression: RegExp) => number;

/**
 * Returns the problems of all routes, in the order in which the routes are tried. With `growthOf`, expressions whose time can
 * grow with the third power of a text or faster are among them.
 */
export function lintRoutes(collection: RouteCollection, growthOf: GrowthCheck = () => 1): RouteFinding[] {
  const compiled = compileRoutes(collection);
  const shadows = findShadows(compiled);
  const variables = new Set(compiled.routes.flatMap((route) => route.variables));
  return compiled.routes.flatMap((route) => [
    ...lintShadow(route, shadows.get(route)),
    ...lintPath(route),
    ...lintDefaults(route),
    ...lintRequirements(route, variables),
    ...lintTarget(route),
    ...lintGrowth(route, compiled, growthOf),
  ]);
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

/** Checks the expressions that are run for a route: with optional variables, there is one for each number of them. */
function lintGrowth(route: Route, { leaves }: CompiledRoutes, growthOf: GrowthCheck): RouteFinding[] {
  const own = leaves.filter((leaf) => leaf.route === route);
  const matchers = own.flatMap(({ expression, tests, terms }) => [expression, ...(tests ?? []), terms.host]);
  const forms = matchers.flatMap((matcher) => (typeof matcher === 'object' ? [matcher.form] : []));
  const degree = Math.max(1, ...forms.map(growthOf));
  if (degree < 3) return [];
  const [severity, growth] =
    degree === Infinity
      ? (['error', 'exponentially'] as const)
      : (['warning', `with its power of ${degree}`] as const);
  const message = `the time to match a path can grow ${growth}, because repetitions can divide a text in many ways`;
  return [finding(route, { rule: 'slow-requirement', severity, message })];
}

function lintTarget(route: Route): RouteFinding[] {
  if (route.target !== undefined && route.target !== null) return [];
  return [finding(route, { rule: 'no-controller', severity: 'error', message: 'it has no controller' })];
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
  // An open end covers an empty last segment only if its requirement allows an empty value.
  if (
    open &&
    other.segments.length === count + 1 &&
    other.segments[count]?.kind === 'text' &&
    segmentText(other, count) === ''
  ) {
    return false;
  }
  return one.segments
    .slice(0, count)
    .every((segment, index) => coversSegment(segment, other.segments[index]));
}

function segmentText(form: Form, index: number): string | undefined {
  const segment = form.segments[index];
  return segment?.kind === 'text' ? segment.text : undefined;
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
