import type { PathShape } from './path-shape.js';

/** Where a shape of a route ends in the trie. `order` is the place of the route among all routes. */
export interface Ending<Owner> {
  readonly order: number;
  readonly shape: PathShape;
  readonly owner: Owner;
}

/** A node stands for the text or the segment that leads to it. */
export interface TrieNode<Owner> {
  /** Text that must stand here; empty for the root and for nodes behind a `wild` step. */
  text: string;
  /** Smallest order below: a walk that has found an earlier route need not enter. */
  first: number;
  /** Children by the first character of their text. */
  readonly children: Map<number, TrieNode<Owner>>;
  /** Continues behind the next segment, whatever it is. */
  wild: TrieNode<Owner> | undefined;
  /** Shapes that end here. */
  readonly ends: Ending<Owner>[];
  /** Shapes whose expression alone can judge what follows. */
  readonly rests: Ending<Owner>[];
}

export function createTrie<Owner>(): TrieNode<Owner> {
  return createNode('');
}

/** Adds a shape. Shapes must come in ascending order. */
export function addToTrie<Owner>(root: TrieNode<Owner>, ending: Ending<Owner>): void {
  let node = root;
  node.first = Math.min(node.first, ending.order);
  for (const step of ending.shape.steps) {
    if (step === 'rest') {
      node.rests.push(ending);
      return;
    }
    if (step === 'wild') node = node.wild ??= createNode('');
    else node = addText(node, step.text, ending.order);
    node.first = Math.min(node.first, ending.order);
  }
  node.ends.push(ending);
}

function addText<Owner>(parent: TrieNode<Owner>, text: string, order: number): TrieNode<Owner> {
  const child = parent.children.get(text.charCodeAt(0));
  if (child === undefined) {
    const node = createNode<Owner>(text);
    parent.children.set(text.charCodeAt(0), node);
    return node;
  }
  let same = 1;
  while (same < child.text.length && child.text.charCodeAt(same) === text.charCodeAt(same)) same += 1;
  const upper = same === child.text.length ? child : splitNode(parent, child, same);
  upper.first = Math.min(upper.first, order);
  return same === text.length ? upper : addText(upper, text.slice(same), order);
}

/** Puts a node with the first `length` characters above a child. */
function splitNode<Owner>(parent: TrieNode<Owner>, child: TrieNode<Owner>, length: number): TrieNode<Owner> {
  const upper = createNode<Owner>(child.text.slice(0, length));
  upper.first = child.first;
  child.text = child.text.slice(length);
  upper.children.set(child.text.charCodeAt(0), child);
  parent.children.set(upper.text.charCodeAt(0), upper);
  return upper;
}

function createNode<Owner>(text: string): TrieNode<Owner> {
  return { text, first: Infinity, children: new Map(), wild: undefined, ends: [], rests: [] };
}
