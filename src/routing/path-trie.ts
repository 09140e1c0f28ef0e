import type { RouteEnding } from './compile-route.js';

/** A node stands for the text or the segment that leads to it. */
export interface TrieNode {
  /** Text that must stand here; empty for the root and for nodes behind a `wild` step. */
  text: string;
  /** Of the text. */
  length: number;
  /** Smallest order in or below it: a walk that has found an earlier route need not enter. */
  first: number;
  /** Children by the first character of their text, less `base`, as long as that is ASCII. */
  children: readonly (TrieNode | undefined)[];
  base: number;
  /** The other children, by that character. */
  others: Map<number, TrieNode> | undefined;
  /** Continues behind the next segment, whatever it is. */
  wild: TrieNode | undefined;
  /** Shapes that end here. */
  ends: RouteEnding[] | undefined;
  /** Shapes whose expression alone can judge what follows. */
  rests: RouteEnding[] | undefined;
}

export function createTrie(): TrieNode {
  return createNode('', 0);
}

/** Adds a shape. Shapes must come in ascending order. */
export function addToTrie(root: TrieNode, ending: RouteEnding): void {
  let node = root;
  for (const [index, step] of ending.shape.steps.entries()) {
    if (step === 'rest') {
      (node.rests ??= []).push(ending);
      return;
    }
    if (step === 'wild') node = node.wild ??= createNode('', ending.order);
    // Every path begins with a slash, so the trie leaves it out.
    else if (index > 0) node = addText(node, step.text, ending.order);
    else if (step.text !== '/') node = addText(node, step.text.slice(1), ending.order);
  }
  (node.ends ??= []).push(ending);
}

/** The child whose text begins with a character. */
export function childAt(node: TrieNode, code: number): TrieNode | undefined {
  const { children } = node;
  const index = code - node.base;
  if (index >= 0 && index < children.length) return children[index];
  return node.others === undefined ? undefined : node.others.get(code);
}

function addText(parent: TrieNode, text: string, order: number): TrieNode {
  const child = childAt(parent, text.charCodeAt(0));
  if (child === undefined) return putChild(parent, createNode(text, order));
  let same = 1;
  while (same < child.text.length && child.text.charCodeAt(same) === text.charCodeAt(same)) same += 1;
  const upper = same === child.text.length ? child : splitNode(parent, child, same);
  return same === text.length ? upper : addText(upper, text.slice(same), order);
}

/** Puts a node with the first `length` characters above a child. */
function splitNode(parent: TrieNode, child: TrieNode, length: number): TrieNode {
  const upper = createNode(child.text.slice(0, length), child.first);
  child.text = child.text.slice(length);
  child.length = child.text.length;
  putChild(upper, child);
  return putChild(parent, upper);
}

function putChild(parent: TrieNode, child: TrieNode): TrieNode {
  const code = child.text.charCodeAt(0);
  const { base, children } = parent;
  if (code >= 128) (parent.others ??= new Map()).set(code, child);
  else {
    const least = children.length === 0 ? code : Math.min(base, code);
    const most = Math.max(base + children.length - 1, code);
    parent.base = least;
    parent.children = Array.from({ length: most - least + 1 }, (_, index) =>
      index + least === code ? child : children[index + least - base],
    );
  }
  return child;
}

function createNode(text: string, first: number): TrieNode {
  return {
    text,
    length: text.length,
    first,
    children: [],
    base: 0,
    others: undefined,
    wild: undefined,
    ends: undefined,
    rests: undefined,
  };
}
