import { emptyRecord } from '../pattern/bare-record.js';
import type { RouteLeaf, RouteTerms } from '../compile/route-leaf.js';
import { endsInSlash, type WildSegment } from '../compile/path-trie.js';
import type { PathShape } from '../compile/path-shape.js';
import type { MatchContext, RouteParameters } from '../define/route.js';

/** Checks what the trie does not: requirements, the trailing slash, and variables that are not whole segments. */
export function hasShape(shape: PathShape, path: string, segments: WildSegment | undefined): boolean {
  if (shape.expression !== undefined) return shape.expression.test(path);
  if (shape.slash !== endsInSlash(path)) return false;
  return shape.tests === undefined || passesTests(shape.tests, path, segments);
}

function passesTests(
  tests: NonNullable<PathShape['tests']>,
  path: string,
  last: WildSegment | undefined,
): boolean {
  let segment = last;
  for (let index = tests.length - 1; segment !== undefined; index -= 1, segment = segment.before) {
    if (tests[index]?.test(path.slice(segment.start, segment.end)) === false) return false;
  }
  return true;
}

/** Reads the variables of a matching path, adds defaults and applies converters. Returns undefined if a converter refuses a value. */
export function readParameters(
  leaf: RouteLeaf,
  segments: WildSegment | undefined,
  request: { readonly path: string; readonly context: MatchContext },
): RouteParameters | undefined {
  const { expression, variables, terms } = leaf;
  const { path, context } = request;
  if (leaf.quick && segments === undefined) return emptyRecord;
  const parameters = Object.create(null) as Record<string, unknown>; // as: a new null-prototype object
  if (leaf.quick && segments !== undefined) {
    addSegments(variables, variables.length - 1, path, segments, parameters);
    return parameters;
  }
  for (const [name, value] of terms.defaults) parameters[name] = value;
  if (terms.hostVariables.length > 0) addHostVariables(terms, context.host ?? 'localhost', parameters);
  if (expression !== undefined) addCaptures(variables, expression.capture(path) ?? [], parameters);
  else if (segments !== undefined) addSegments(variables, variables.length - 1, path, segments, parameters);
  for (const [name, converter] of terms.converters) {
    const text = parameters[name];
    if (typeof text !== 'string') continue; // a default that is already converted
    const value = converter.parse(text);
    if (value === undefined) return undefined;
    parameters[name] = value;
  }
  return parameters;
}

// oxlint-disable-next-line house/max-positional -- on the path of every request: no object is made for it
function addSegments(
  names: readonly string[],
  index: number,
  path: string,
  segment: WildSegment,
  parameters: Record<string, unknown>,
): void {
  if (segment.before !== undefined) addSegments(names, index - 1, path, segment.before, parameters);
  parameters[names[index] ?? ''] = path.slice(segment.start, segment.end);
}

function addCaptures(
  names: readonly string[],
  captures: readonly (string | undefined)[],
  parameters: Record<string, unknown>,
): void {
  for (const [index, name] of names.entries()) {
    const value = captures[index];
    if (value !== undefined) parameters[name] = value;
  }
}

function addHostVariables(terms: RouteTerms, host: string, parameters: Record<string, unknown>): void {
  const captures = typeof terms.host === 'object' ? terms.host.capture(host.toLowerCase()) : null;
  for (const [index, name] of terms.hostVariables.entries()) parameters[name] = captures?.[index];
}

/** Whether a route accepts a host, case-insensitively. An unknown host counts as `localhost`. */
export function acceptsHost({ host }: RouteTerms, requested = 'localhost'): boolean {
  if (host === undefined) return true;
  return typeof host === 'string' ? host === requested.toLowerCase() : host.test(requested);
}

/** Whether a route accepts a scheme. An unknown scheme counts as `http`. */
export function acceptsScheme({ schemes }: RouteTerms, scheme = 'http'): boolean {
  return schemes.length === 0 || schemes.includes(scheme.toLowerCase());
}

/** Whether a route accepts a method. Routes for GET also accept HEAD. */
export function acceptsMethod(methods: readonly string[], method: string): boolean {
  if (methods.length === 0) return true;
  for (const one of methods) if (one === method || (one === 'GET' && method === 'HEAD')) return true;
  return false;
}
