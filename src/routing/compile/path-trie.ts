import { type RouteLeaf, catchAll, wildcard, type ShapeStep } from './path-shape.js';

/** A node of the trie. It represents the text, or the segment, that leads to it. */
export interface TrieNode {
  /** Text that the path must have here; empty for the root and for `wild` nodes. */
  text: string;
  /** Length of `text`. */
  length: number;
  /** Leaves whose `catchAll` starts here: their expression checks the remainder. */
  rests: RouteLeaf[] | undefined;
  /** Leaves that end here. */
  ends: RouteLeaf[] | undefined;
  /** The node after the next segment, whatever that is. */
  wild: TrieNode | undefined;
  /** Children whose text begins with an ASCII character, at index character code − `base`. */
  children: (TrieNode | undefined)[] | undefined;
  base: number;
  /** Smallest order of a leaf in this subtree: a walk that has found an earlier route can skip it. */
  first: number;
  /** All other children, by their first character code. */
  others: Map<number, TrieNode> | undefined;
}

export function createTrie(): TrieNode {
  return createNode('', 0);
}

/** Adds a leaf. Leaves must be added in ascending order. */
export function addToTrie(root: TrieNode, leaf: RouteLeaf, steps: readonly ShapeStep[]): void {
  let node = root;
  for (let index = 0; index < steps.length; index += 1) {
    const step = steps[index];
    if (step === catchAll) {
      if (node.rests === undefined) node.rests = [leaf];
      else node.rests.push(leaf);
      return;
    }
    if (step === wildcard) node = node.wild ??= createNode('', leaf.order);
    // Every path begins with a slash, so the trie omits it.
    else if (typeof step === 'string') node = addText(node, index === 0 ? step.slice(1) : step, leaf.order);
  }
  if (node.ends === undefined) node.ends = [leaf];
  else node.ends.push(leaf);
}

/** Returns the child whose text begins with a character. */
export function childAt(node: TrieNode, code: number): TrieNode | undefined {
  const { children } = node;
  if (children !== undefined) {
    const index = code - node.base;
    if (index >= 0 && index < children.length) return children[index];
  }
  return node.others === undefined ? undefined : node.others.get(code);
}

/** Returns the node after a text; creates or splits nodes as needed. */
function addText(start: TrieNode, text: string, order: number): TrieNode {
  let node = start;
  let at = 0;
  while (at < text.length) {
    const child = childAt(node, text.charCodeAt(at));
    if (child === undefined) return putChild(node, createNode(text.slice(at), order));
    const same = countSame(child.text, text, at);
    node = same === child.length ? child : splitNode(node, child, same);
    at += same;
  }
  return node;
}

/** Returns the number of characters that a node's text shares with a text; the first one is known to match. */
function countSame(nodeText: string, text: string, at: number): number {
  let same = 1;
  while (same < nodeText.length && nodeText.charCodeAt(same) === text.charCodeAt(at + same)) same += 1;
  return same;
}

/** Splits a child after `length` characters; returns the new upper node. */
function splitNode(parent: TrieNode, child: TrieNode, length: number): TrieNode {
  const upper = createNode(child.text.slice(0, length), child.first);
  child.text = child.text.slice(length);
  child.length = child.text.length;
  putChild(upper, child);
  return putChild(parent, upper);
}

/** Stores a child under its first character; replaces a former child. */
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

function createNode(text: string, first: number): TrieNode {
  return {
    text,
    length: text.length,
    rests: undefined,
    ends: undefined,
    wild: undefined,
    children: undefined,
    base: 0,
    first,
    others: undefined,
  };
}

const slash = 47;

/** A segment of a path that matched a `wild` step, linked to the previous such segments. */
export interface WildSegment {
  readonly start: number;
  readonly end: number;
  readonly before: WildSegment | undefined;
}

/** Returns the end of the segment that begins at `start`: the next slash, or the end of the path. */
export function segmentEnd(path: string, start: number): number {
  const end = path.indexOf('/', start);
  return end === -1 ? path.length : end;
}

/** Whether a path other than `/` ends in a slash. */
export function endsInSlash(path: string): boolean {
  return path.charCodeAt(path.length - 1) === slash && path.length > 1;
}

/** A leaf, and the segments of its variables in the path for which it was found. */
export interface PlacedLeaf {
  readonly leaf: RouteLeaf;
  readonly segments: WildSegment | undefined;
}

/** Returns all leaves that the trie has for a path, in order: those that a walk would offer, and those that it may skip. */
export function collectLeaves(trie: TrieNode, path: string): PlacedLeaf[] {
  const end = endsInSlash(path) ? path.length - 1 : path.length;
  const found: PlacedLeaf[] = [];
  const collect = (node: TrieNode, start: number, segments: WildSegment | undefined): void => {
    const at = start + node.length;
    if (!path.startsWith(node.text, start)) return;
    for (const leaf of node.rests ?? []) found.push({ leaf, segments });
    if (at === end) for (const leaf of node.ends ?? []) found.push({ leaf, segments });
    if (at >= end) return;
    const child = childAt(node, path.charCodeAt(at));
    if (child !== undefined) collect(child, at, segments);
    const stop = segmentEnd(path, at);
    if (node.wild !== undefined && stop > at) {
      collect(node.wild, stop, { start: at, end: stop, before: segments });
    }
  };
  if (path.startsWith('/')) collect(trie, 1, undefined);
  return found.sort((a, b) => a.leaf.order - b.leaf.order);
}
