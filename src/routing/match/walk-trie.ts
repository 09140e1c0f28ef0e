import type { CompiledRoutes } from '../compile/compile-routes.js';
import type { RouteLeaf, RouteTerms, PathShape } from '../compile/path-shape.js';
import {
  type PlacedLeaf,
  endsInSlash,
  segmentEnd,
  type WildSegment,
  childAt,
  type TrieNode,
} from '../compile/path-trie.js';
import { type MatchContext, emptyRecord, type RouteParameters } from '../define/route.js';

/** State and result of the search for one request. */
export interface Search {
  readonly context: MatchContext;
  readonly path: string;
  /** Where the path ends, without a trailing slash. */
  readonly end: number;
  /** The first leaf, in the order of routes, that matches the request, and the segments of its variables. */
  best: RouteLeaf | undefined;
  segments: WildSegment | undefined;
  /** Leaves that would match the request with another method. */
  wrongMethod: RouteLeaf[] | undefined;
  /** Whether a leaf may match the path with the trailing slash added or removed. */
  wrongSlash: boolean;
  /** Leaves with a condition. Conditions are evaluated after the walk, in the order of routes. */
  conditional: PlacedLeaf[] | undefined;
}

/**
 * Searches all routes for a request. `path` may differ from the request's own path; its trailing slash is significant.
 */
export function searchRoutes(compiled: CompiledRoutes, context: MatchContext, path: string): Search {
  const search: Search = {
    context,
    path,
    end: endsInSlash(path) ? path.length - 1 : path.length,
    best: undefined,
    segments: undefined,
    wrongMethod: undefined,
    wrongSlash: false,
    conditional: undefined,
  };
  if (path.charCodeAt(0) === slash) walkTrie(compiled.trie, 1, undefined, search);
  if (search.conditional !== undefined) askConditions(search.conditional, search);
  return search;
}

const slash = 47;

/**
 * Offers every leaf to which the rest of the path leads from a node. `from` is the place behind the node's own text. A node
 * is entered at most once, because the way to it determines the place.
 */
function walkTrie(start: TrieNode, from: number, before: WildSegment | undefined, search: Search): void {
  const { path, end } = search;
  let node = start;
  let at = from;
  let segments = before;
  for (;;) {
    const { rests, ends, wild } = node;
    // 1. The whole rest: variables that may hold slashes or be empty.
    if (rests !== undefined) offerAll(rests, segments, search);
    if (at >= end) {
      if (at === end && ends !== undefined) offerAll(ends, segments, search);
      return;
    }
    // 2. Text: the one child that begins with the next character. The walk forks if a variable is possible too.
    const child = childAt(node, path.charCodeAt(at));
    const isText = child !== undefined && hasText(child, path, at);
    if (wild === undefined) {
      if (!isText) return;
      node = child;
      at += child.length;
      continue;
    }
    if (isText) walkTrie(child, at + child.length, segments, search);
    // 3. A variable: the segment, whatever it is, unless a route was found that stands before all of these.
    if (search.best !== undefined && search.best.order < wild.first) return;
    const stop = segmentEnd(path, at);
    if (stop === at) return;
    segments = { start: at, end: stop, before: segments };
    node = wild;
    at = stop;
  }
}

/** Whether a path has the text of a node at a place. The first character is known to match. */
function hasText({ text, length }: TrieNode, path: string, at: number): boolean {
  for (let index = 1; index < length; index += 1) {
    if (text.charCodeAt(index) !== path.charCodeAt(at + index)) return false;
  }
  return true;
}

function offerAll(leaves: readonly RouteLeaf[], segments: WildSegment | undefined, search: Search): void {
  for (let index = 0; index < leaves.length; index += 1) {
    const leaf = leaves[index];
    if (leaf !== undefined) offer(leaf, segments, search);
  }
}

/** Makes a leaf the best one so far if it precedes that and matches the request. */
function offer(leaf: RouteLeaf, segments: WildSegment | undefined, search: Search): void {
  const { best, path, context } = search;
  if (best !== undefined && best.order <= leaf.order) return;
  if (leaf.quick ? leaf.slash !== endsInSlash(path) : !hasShape(leaf, path, segments)) {
    search.wrongSlash = true;
  } else if (leaf.quick && leaf.method === context.method) {
    search.best = leaf;
    search.segments = segments;
  } else if (leaf.quick ? takesMethod(leaf, search) : takesRequest(leaf, segments, search)) {
    search.best = leaf;
    search.segments = segments;
  }
}

/** Checks everything except the path. A condition is deferred, because an earlier route may still be found. */
function takesRequest(leaf: RouteLeaf, segments: WildSegment | undefined, search: Search): boolean {
  const { terms } = leaf;
  if (!acceptsHost(terms, search.context.host)) return false;
  if (leaf.route.condition === undefined) return takesMethod(leaf, search);
  (search.conditional ??= []).push({ leaf, segments });
  return false;
}

/** Evaluates the conditions of leaves that precede the best one; the first that is met becomes the best. */
function askConditions(conditional: PlacedLeaf[], search: Search): void {
  const { context } = search;
  for (const { leaf, segments } of conditional.sort((a, b) => a.leaf.order - b.leaf.order)) {
    if (search.best !== undefined && search.best.order <= leaf.order) return;
    const parameters = readParameters(leaf, segments, search);
    const agrees = leaf.route.condition?.(context, context.request, parameters);
    if (agrees === true && takesMethod(leaf, search)) {
      search.best = leaf;
      search.segments = segments;
    }
  }
}

function takesMethod(leaf: RouteLeaf, search: Search): boolean {
  if (acceptsMethod(leaf.route.methods, search.context.method)) return true;
  (search.wrongMethod ??= []).push(leaf);
  return false;
}

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

/** Reads the variables of a matching path and adds defaults. */
export function readParameters(
  leaf: RouteLeaf,
  segments: WildSegment | undefined,
  request: { readonly path: string; readonly context: MatchContext },
): RouteParameters {
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

/** Whether a route accepts a method. Routes for GET also accept HEAD. */
export function acceptsMethod(methods: readonly string[], method: string): boolean {
  if (methods.length === 0) return true;
  for (const one of methods) if (one === method || (one === 'GET' && method === 'HEAD')) return true;
  return false;
}
