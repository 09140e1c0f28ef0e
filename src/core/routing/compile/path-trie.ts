import { type RouteLeaf, catchAll, wildcard, type ShapeStep } from './path-shape.js';

/** A trie node. It represents the text, or the segment, that leads to it. */
export interface TrieNode {
  /** Text that the path must have here; empty for the root and for `wild` nodes. */
  text: string;
  length: number;
  /** Leaves whose `catchAll` starts here: their expression checks the remainder. */
  rests: RouteLeaf[] | undefined;
  ends: RouteLeaf[] | undefined;
  /** The node after the next segment, whatever its text. */
  wild: TrieNode | undefined;
  /** Children whose text begins with an ASCII character, at index character code − `base`. */
  children: (TrieNode | undefined)[] | undefined;
  base: number;
  /** All other children, by their first character code. */
  others: Map<number, TrieNode> | undefined;
}

export function createTrie(text = ''): TrieNode {
  return {
    text,
    length: text.length,
    rests: undefined,
    ends: undefined,
    wild: undefined,
    children: undefined,
    base: 0,
    others: undefined,
  };
}

/** Adds a leaf. Leaves must be added in ascending order. */
export function addToTrie(root: TrieNode, leaf: RouteLeaf, steps: readonly ShapeStep[]): void {
  let node = root;
  for (const [index, step] of steps.entries()) {
    if (step === catchAll) {
      (node.rests ??= []).push(leaf);
      return;
    }
    if (step === wildcard) node = node.wild ??= createTrie();
    // Every path begins with a slash, so the trie omits it.
    else node = addText(node, index === 0 ? step.slice(1) : step);
  }
  (node.ends ??= []).push(leaf);
}

/** Returns the child whose text begins with a character. */
function childAt(node: TrieNode, code: number): TrieNode | undefined {
  const { children } = node;
  if (children !== undefined) {
    const index = code - node.base;
    if (index >= 0 && index < children.length) return children[index];
  }
  return node.others === undefined ? undefined : node.others.get(code);
}

/** Returns the node after a text; creates or splits nodes as needed. */
function addText(start: TrieNode, text: string): TrieNode {
  let node = start;
  let at = 0;
  while (at < text.length) {
    const child = childAt(node, text.charCodeAt(at));
    if (child === undefined) return putChild(node, createTrie(text.slice(at)));
    const same = countSame(child.text, text, at);
    node = same === child.length ? child : splitNode(node, child, same);
    at += same;
  }
  return node;
}

/**
 * Returns the number of characters that a node's text shares with a text at a position; the first one is known to
 * match.
 */
function countSame(nodeText: string, text: string, at: number): number {
  let same = 1;
  while (same < nodeText.length && nodeText.charCodeAt(same) === text.charCodeAt(at + same)) same += 1;
  return same;
}

function splitNode(parent: TrieNode, child: TrieNode, length: number): TrieNode {
  const upper = createTrie(child.text.slice(0, length));
  child.text = child.text.slice(length);
  child.length = child.text.length;
  putChild(upper, child);
  return putChild(parent, upper);
}

/** Stores a child under its first character, replacing any previous child. */
function putChild(parent: TrieNode, child: TrieNode): TrieNode {
  const code = child.text.charCodeAt(0);
  const { children } = parent;
  if (code >= 128) (parent.others ??= new Map<number, TrieNode>()).set(code, child);
  else if (children === undefined) {
    parent.base = code;
    parent.children = [child];
  } else {
    for (; parent.base > code; parent.base -= 1) children.unshift(undefined);
    while (parent.base + children.length <= code) children.push(undefined);
    children[code - parent.base] = child;
  }
  return child;
}

const slash = 47;

/** A path segment that matched a `wild` step, linked to the previous such segments. */
export interface WildSegment {
  readonly start: number;
  readonly end: number;
  readonly before: WildSegment | undefined;
}

export function endsInSlash(path: string): boolean {
  return path.charCodeAt(path.length - 1) === slash && path.length > 1;
}

/** A leaf, and its variables' segments in the path for which it was found. */
export interface PlacedLeaf {
  readonly leaf: RouteLeaf;
  readonly segments: WildSegment | undefined;
}

interface Walk {
  readonly path: string;
  /** Index where the path ends, without a trailing slash. */
  readonly end: number;
  /** In route order. */
  found: readonly PlacedLeaf[];
}

/** Returns the leaves that the trie has for a path, with and without a trailing slash, in route order. */
export function findLeaves(trie: TrieNode, path: string): readonly PlacedLeaf[] {
  const walk: Walk = { path, end: endsInSlash(path) ? path.length - 1 : path.length, found: noLeaves };
  if (path.charCodeAt(0) === slash) walkTrie(trie, 1, undefined, walk);
  return walk.found;
}

const noLeaves: readonly never[] = Object.freeze([]);

/**
 * Continues the walk from a node at position `from` of the path. Visits each node at most once, because the way to a
 * node determines the position.
 */
function walkTrie(start: TrieNode, from: number, before: WildSegment | undefined, walk: Walk): void {
  const { path, end } = walk;
  let node = start;
  let at = from;
  let segments = before;
  for (;;) {
    const { rests, ends, wild } = node;
    // 1. The whole rest: variables that may contain slashes or be empty.
    if (rests !== undefined) addFound(rests, segments, walk);
    if (at >= end) {
      if (at === end && ends !== undefined) addFound(ends, segments, walk);
      return;
    }
    // 2. Text: the one child that begins with the next character. The walk forks if a variable is also possible.
    const child = childAt(node, path.charCodeAt(at));
    const isText = child !== undefined && hasText(child, path, at);
    if (wild === undefined) {
      if (!isText) return;
      node = child;
      at += child.length;
      continue;
    }
    if (isText) walkTrie(child, at + child.length, segments, walk);
    // 3. A variable: the next segment, whatever its text.
    const next = path.indexOf('/', at);
    const stop = next === -1 ? end : next;
    if (stop === at) return;
    segments = { start: at, end: stop, before: segments };
    node = wild;
    at = stop;
  }
}

/** Whether a path has a node's text at a position. The first character is known to match. */
function hasText({ text, length }: TrieNode, path: string, at: number): boolean {
  for (let index = 1; index < length; index += 1) {
    if (text.charCodeAt(index) !== path.charCodeAt(at + index)) return false;
  }
  return true;
}

function addFound(leaves: readonly RouteLeaf[], segments: WildSegment | undefined, walk: Walk): void {
  const placed = leaves.map((leaf) => ({ leaf, segments }));
  walk.found =
    walk.found.length === 0
      ? placed
      : [...walk.found, ...placed].sort((one, other) => one.leaf.order - other.leaf.order);
}
