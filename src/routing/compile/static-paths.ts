import { collectLeaves, collectTextLeaves } from './collect-leaves.js';
import type { RouteLeaf } from './route-leaf.js';
import { endsInSlash, type TrieNode } from './path-trie.js';
import { emptyRecord } from '../pattern/bare-record.js';
import type { MatchResult } from '../define/route.js';

/** A path without variables. */
export interface StaticPath {
  readonly path: string;
  /** The leaves that a walk would offer; undefined if some have variables, so that a walk is needed. */
  readonly leaves: readonly RouteLeaf[] | undefined;
  /** Set if the first route requires only a method: the method, and the match. */
  readonly method: string | undefined;
  readonly match: MatchResult | undefined;
}

/** The paths without variables, as a map by path. */
export type StaticPaths = ReadonlyMap<string, StaticPath>;

/** Collects the paths of all leaves without variables. */
export function collectStatics(trie: TrieNode, leaves: readonly RouteLeaf[]): StaticPaths {
  const known = new Map<string, StaticPath>();
  for (const { variables, route } of leaves) {
    if (variables.length > 0) continue;
    const token = route.pattern.tokens[0];
    const path = token?.kind === 'text' ? token.text : '/';
    if (!known.has(path)) known.set(path, createStaticPath(trie, path));
  }
  return known;
}

function createStaticPath(trie: TrieNode, path: string): StaticPath {
  const leaves = collectTextLeaves(trie, path);
  const first = leaves === undefined ? collectLeaves(trie, path)[0]?.leaf : leaves[0];
  if (
    first === undefined ||
    !first.quick ||
    first.variables.length > 0 ||
    first.slash !== endsInSlash(path)
  ) {
    return { path, leaves, method: undefined, match: undefined };
  }
  const match = Object.freeze({ kind: 'match', route: first.route, parameters: emptyRecord } as const);
  return { path, leaves, method: first.method, match };
}
