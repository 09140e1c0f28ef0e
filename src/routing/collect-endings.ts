import type { RouteEnding } from './compile-route.js';
import { endsInSlash, segmentEnd, type WildSegment } from './path-segments.js';
import { childAt, type TrieNode } from './path-trie.js';

/** An ending, and where its variables stand in the path it was found for. */
export interface PlacedEnding {
  readonly ending: RouteEnding;
  readonly segments: WildSegment | undefined;
}

/** All endings that the trie leads a path to, in order: what a walk would be offered, less what it may skip. */
export function collectEndings(trie: TrieNode, path: string): PlacedEnding[] {
  const end = endsInSlash(path) ? path.length - 1 : path.length;
  const found: PlacedEnding[] = [];
  const collect = (node: TrieNode, start: number, segments: WildSegment | undefined): void => {
    const at = start + node.length;
    if (!path.startsWith(node.text, start)) return;
    const endings = [...(node.rests ?? []), ...(at === end ? (node.ends ?? []) : [])];
    found.push(...endings.map((ending) => ({ ending, segments })));
    if (at >= end) return;
    const child = childAt(node, path.charCodeAt(at));
    if (child !== undefined) collect(child, at, segments);
    const stop = segmentEnd(path, at);
    if (node.wild !== undefined && stop > at) {
      collect(node.wild, stop, { start: at, end: stop, before: segments });
    }
  };
  collect(trie, 1, undefined);
  return found.sort((a, b) => a.ending.order - b.ending.order);
}
