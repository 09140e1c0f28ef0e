import { acceptsHost, acceptsMethod, acceptsScheme, hasShape, readParameters } from './read-parameters.js';
import type { PlacedLeaf } from '../compile/collect-leaves.js';
import type { RouteLeaf } from '../compile/route-leaf.js';
import type { CompiledRoutes } from '../compile/compile-routes.js';
import { endsInSlash, segmentEnd, type WildSegment, childAt, type TrieNode } from '../compile/path-trie.js';
import type { MatchContext } from '../define/route.js';
import type { StaticPath } from '../compile/static-paths.js';

/** One request on its way through the routes, and what was found. */
export interface Search {
  readonly context: MatchContext;
  readonly path: string;
  /** The first leaf, in the order of routes, that takes the request; and where its variables stand. */
  best: RouteLeaf | undefined;
  segments: WildSegment | undefined;
  /** Leaves that take the request under another method, or another scheme. */
  wrongMethod: LeafChain | undefined;
  wrongScheme: LeafChain | undefined;
  /** Some leaf may have the path with its last slash toggled. */
  wrongSlash: boolean;
  /** Leaves with a condition, which is asked only when it is their turn. */
  conditional: PlacedLeaf[] | undefined;
}

/** A list whose last member is its head: cheap to begin. */
export interface LeafChain {
  readonly leaf: RouteLeaf;
  readonly before: LeafChain | undefined;
}

/** Searches all routes for a request. `path` may differ from the request's own, and its last slash counts; `known` is its entry among the paths without variables. */
// oxlint-disable-next-line house/max-positional -- on the path of every request: no object is made for it
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

/** False where the first two characters show that no route has the path, with whatever slash at its end. */
export function canBegin(trie: TrieNode, path: string): boolean {
  if (path.length === 1 || trie.wild !== undefined || trie.rests !== undefined) return true;
  const child = childAt(trie, path.charCodeAt(1));
  return child !== undefined && (child.length === 1 || child.text.charCodeAt(1) === path.charCodeAt(2));
}

/**
 * Follows the path from a node down to `end`, which leaves the last slash out. A node is entered at most once, for its
 * place in the path is given by the way to it. The walk forks only where both a text and a whole segment fit.
 */
// oxlint-disable-next-line house/max-positional -- on the path of every request: no object is made for it
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
    // The way here was chosen by the first character.
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

/** Takes a leaf as the best one so far, if it stands before that and takes the request. */
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

/** Everything but the path. A condition is put off: routes before this one may still be found. */
function takesRequest(leaf: RouteLeaf, segments: WildSegment | undefined, search: Search): boolean {
  const { terms } = leaf;
  if (!acceptsHost(terms, search.context.host)) return false;
  if (terms.converters.length > 0 && readParameters(leaf, segments, search) === undefined) return false;
  if (leaf.route.condition === undefined) return takesScheme(leaf, search) && takesMethod(leaf, search);
  (search.conditional ??= []).push({ leaf, segments });
  return false;
}

/** The first leaf whose condition agrees, of those that stand before the best. */
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

/** A chain in the order of routes. */
export function sortChain(chain: LeafChain | undefined): RouteLeaf[] {
  const leaves: RouteLeaf[] = [];
  for (let link = chain; link !== undefined; link = link.before) leaves.push(link.leaf);
  return leaves.sort((a, b) => a.order - b.order);
}
