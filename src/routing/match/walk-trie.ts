import { acceptsHost, acceptsMethod, acceptsScheme, hasShape, readParameters } from './read-parameters.js';
import type { PlacedLeaf } from '../compile/collect-leaves.js';
import type { RouteLeaf } from '../compile/route-leaf.js';
import type { CompiledRoutes } from '../compile/compile-routes.js';
import { endsInSlash, segmentEnd, type WildSegment, childAt, type TrieNode } from '../compile/path-trie.js';
import type { MatchContext } from '../define/route.js';
import type { StaticPath } from '../compile/static-paths.js';

/** State and result of the search for one request. */
export interface Search {
  readonly context: MatchContext;
  readonly path: string;
  /** The first leaf, in the order of routes, that matches the request, and the segments of its variables. */
  best: RouteLeaf | undefined;
  segments: WildSegment | undefined;
  /** Leaves that would match the request with another method or another scheme. */
  wrongMethod: LeafChain | undefined;
  wrongScheme: LeafChain | undefined;
  /** Whether a leaf may match the path with the trailing slash added or removed. */
  wrongSlash: boolean;
  /** Leaves with a condition. Conditions are evaluated after the walk, in the order of routes. */
  conditional: PlacedLeaf[] | undefined;
}

/** A linked list that starts with the last leaf: it needs no allocation while it is empty. */
export interface LeafChain {
  readonly leaf: RouteLeaf;
  readonly before: LeafChain | undefined;
}

/**
 * Searches all routes for a request. `path` may differ from the request's own path; its trailing slash is significant.
 * `known` is the entry of `path` among the static paths.
 */
// oxlint-disable-next-line house/max-positional -- hot path: avoids allocating an object per request
export function walkTrie(
  compiled: CompiledRoutes,
  context: MatchContext,
  path: string,
  known: StaticPath | undefined,
): Search {
  const search: Search = {
    context,
    path,
    best: undefined,
    segments: undefined,
    wrongMethod: undefined,
    wrongScheme: undefined,
    wrongSlash: false,
    conditional: undefined,
  };
  if (known?.leaves !== undefined) offerAll(known.leaves, undefined, search);
  else if (path.charCodeAt(0) === slash) {
    walk(compiled.trie, 1, endsInSlash(path) ? path.length - 1 : path.length, undefined, search);
  }
  if (search.conditional !== undefined) askConditions(search.conditional, search);
  return search;
}

const slash = 47;

/** Returns false if the first two characters show that no route matches the path, with or without a trailing slash. */
export function canBegin(trie: TrieNode, path: string): boolean {
  if (path.length === 1 || trie.wild !== undefined || trie.rests !== undefined) return true;
  const child = childAt(trie, path.charCodeAt(1));
  return child !== undefined && (child.length === 1 || child.text.charCodeAt(1) === path.charCodeAt(2));
}

/**
 * Follows the path from a node to `end`, which excludes a trailing slash. A node is entered at most once, because the way
 * to it determines its position in the path. The walk forks only if both a text and a whole segment match.
 */
// oxlint-disable-next-line house/max-positional -- hot path: avoids allocating an object per request
function walk(
  start: TrieNode,
  from: number,
  end: number,
  before: WildSegment | undefined,
  search: Search,
): void {
  const { path } = search;
  let node = start;
  let at = from;
  let segments = before;
  for (;;) {
    const { length, wild } = node;
    // The first character matches: the node was selected by it.
    if (length > 1 && !hasText(node.text, path, at)) return;
    at += length;
    if (node.rests !== undefined) offerAll(node.rests, segments, search);
    if (at >= end) {
      if (at === end && node.ends !== undefined) offerAll(node.ends, segments, search);
      return;
    }
    const child = childAt(node, path.charCodeAt(at));
    if (wild === undefined) {
      if (child === undefined) return;
      node = child;
    } else {
      if (child !== undefined) walk(child, at, end, segments, search);
      if (search.best !== undefined && search.best.order < wild.first) return;
      const stop = segmentEnd(path, at);
      if (stop === at) return;
      segments = { start: at, end: stop, before: segments };
      node = wild;
      at = stop;
    }
  }
}

function hasText(text: string, path: string, at: number): boolean {
  for (let index = 1; index < text.length; index += 1) {
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
  if (terms.converters.length > 0 && readParameters(leaf, segments, search) === undefined) return false;
  if (leaf.route.condition === undefined) return takesScheme(leaf, search) && takesMethod(leaf, search);
  (search.conditional ??= []).push({ leaf, segments });
  return false;
}

/** Evaluates the conditions of leaves that precede the best one; the first that is met becomes the best. */
function askConditions(conditional: PlacedLeaf[], search: Search): void {
  const { context } = search;
  for (const { leaf, segments } of conditional.sort((a, b) => a.leaf.order - b.leaf.order)) {
    if (search.best !== undefined && search.best.order <= leaf.order) return;
    const parameters = readParameters(leaf, segments, search);
    const agrees = parameters !== undefined && leaf.route.condition?.(context, context.request, parameters);
    if (agrees === true && takesScheme(leaf, search) && takesMethod(leaf, search)) {
      search.best = leaf;
      search.segments = segments;
    }
  }
}

function takesScheme(leaf: RouteLeaf, search: Search): boolean {
  if (acceptsScheme(leaf.terms, search.context.scheme)) return true;
  search.wrongScheme = { leaf, before: search.wrongScheme };
  return false;
}

function takesMethod(leaf: RouteLeaf, search: Search): boolean {
  if (acceptsMethod(leaf.route.methods, search.context.method)) return true;
  search.wrongMethod = { leaf, before: search.wrongMethod };
  return false;
}

/** Returns the leaves of a chain in the order of routes. */
export function sortChain(chain: LeafChain | undefined): RouteLeaf[] {
  const leaves: RouteLeaf[] = [];
  for (let link = chain; link !== undefined; link = link.before) leaves.push(link.leaf);
  return leaves.sort((a, b) => a.order - b.order);
}
