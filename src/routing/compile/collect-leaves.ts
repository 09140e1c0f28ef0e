import type { RouteLeaf } from './route-leaf.js';
import { endsInSlash, segmentEnd, type WildSegment, childAt, type TrieNode } from './path-trie.js';

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

/** Returns the leaves for a path without variables; undefined if the path also leads to leaves with variables. */
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
