import type { RouteLeaf } from './route-leaf.js';
import { endsInSlash, segmentEnd, type WildSegment, childAt, type TrieNode } from './path-trie.js';

/** An leaf, and where its variables stand in the path it was found for. */
export interface PlacedLeaf {
  readonly leaf: RouteLeaf;
  readonly segments: WildSegment | undefined;
}

/** All leaves that the trie leads a path to, in order: what a walk would be offered, and what it may skip. */
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

/** The same for a path that stands in the trie as text; undefined where some of its leaves have variables. */
export function collectTextLeaves(trie: TrieNode, path: string): readonly RouteLeaf[] | undefined {
  const end = endsInSlash(path) ? path.length - 1 : path.length;
  let node: TrieNode | undefined = trie;
  let at = 1;
  while (node !== undefined && node.wild === undefined && node.rests === undefined) {
    if (at >= end) return node.ends;
    node = childAt(node, path.charCodeAt(at));
    at += node?.length ?? 0;
  }
  return at >= end && node?.rests === undefined ? node?.ends : undefined;
}
