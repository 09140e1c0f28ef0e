import type { RouteLeaf } from './route-leaf.js';
import { catchAll, wildcard, type ShapeStep } from './path-shape.js';

/** A node stands for the text or the segment that leads to it. */
export interface TrieNode {
  /** Text that must stand here; empty for the root and for nodes behind a `wild` step. */
  text: string;
  /** Of the text. */
  length: number;
  /** Leaves that anything may follow: their expression alone can judge it. */
  rests: RouteLeaf[] | undefined;
  /** Leaves that end here. */
  ends: RouteLeaf[] | undefined;
  /** Continues behind the next segment, whatever it is. */
  wild: TrieNode | undefined;
  /** Children by the first character of their text, less `base`, as long as that is ASCII. */
  children: (TrieNode | undefined)[] | undefined;
  base: number;
  /** Smallest order in or below it: a walk that has found an earlier route need not enter. */
  first: number;
  /** The other children, by that character. */
  others: Map<number, TrieNode> | undefined;
}

export function createTrie(): TrieNode {
  return createNode('', 0);
}

/** Adds a leaf. They must come in ascending order. */
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
    // Every path begins with a slash, so the trie leaves it out.
    else if (typeof step === 'string') node = addText(node, index === 0 ? step.slice(1) : step, leaf.order);
  }
  if (node.ends === undefined) node.ends = [leaf];
  else node.ends.push(leaf);
}

/** The child whose text begins with a character. */
export function childAt(node: TrieNode, code: number): TrieNode | undefined {
  const { children } = node;
  if (children !== undefined) {
    const index = code - node.base;
    if (index >= 0 && index < children.length) return children[index];
  }
  return node.others === undefined ? undefined : node.others.get(code);
}

/** The node behind a text. */
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

/** How many characters of a node's text stand in a text; the first one is known to. */
function countSame(nodeText: string, text: string, at: number): number {
  let same = 1;
  while (same < nodeText.length && nodeText.charCodeAt(same) === text.charCodeAt(at + same)) same += 1;
  return same;
}

/** Puts a node with the first `length` characters above a child. */
function splitNode(parent: TrieNode, child: TrieNode, length: number): TrieNode {
  const upper = createNode(child.text.slice(0, length), child.first);
  child.text = child.text.slice(length);
  child.length = child.text.length;
  putChild(upper, child);
  return putChild(parent, upper);
}

/** Puts a child in the place that its first character gives it, whatever stood there. */
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

/** A segment of a path that a `wild` step stands for, and the ones before it. */
export interface WildSegment {
  readonly start: number;
  readonly end: number;
  readonly before: WildSegment | undefined;
}

/** Where the segment that begins at `start` ends: before the next slash, or at the end of the path. */
export function segmentEnd(path: string, start: number): number {
  const end = path.indexOf('/', start);
  return end === -1 ? path.length : end;
}

/** `/` alone does not: its slash is the first one. */
export function endsInSlash(path: string): boolean {
  return path.charCodeAt(path.length - 1) === slash && path.length > 1;
}

export function endsInTwoSlashes(path: string): boolean {
  return endsInSlash(path) && path.charCodeAt(path.length - 2) === slash;
}
