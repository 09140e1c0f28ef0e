import { collectEndings, collectTextEndings } from './collect-endings.js';
import { internText } from './intern-text.js';
import type { RouteEnding } from './route-ending.js';
import { endsInSlash } from './path-segments.js';
import type { TrieNode } from './path-trie.js';
import { noParameters } from './read-parameters.js';
import type { MatchResult } from './route.js';

/** A path without variables. */
export interface StaticPath {
  readonly path: string;
  /** What a walk would be offered; undefined where some of that has variables, so that there must be a walk. */
  readonly endings: readonly RouteEnding[] | undefined;
  /** Where the first route asks for nothing but a method: that, and the answer. */
  readonly method: string | undefined;
  readonly match: MatchResult | undefined;
}

/** The paths without variables. */
export type StaticPaths = ReadonlyMap<string, StaticPath>;

/** The paths of all endings without variables. */
export function collectStatics(trie: TrieNode, endings: readonly RouteEnding[]): StaticPaths {
  const known = new Map<string, StaticPath>();
  for (const { variables, route } of endings) {
    if (variables.length > 0) continue;
    const token = route.pattern.tokens[0];
    const path = internText(token?.kind === 'text' ? token.text : '/');
    if (!known.has(path)) known.set(path, createStaticPath(trie, path));
  }
  return known;
}

function createStaticPath(trie: TrieNode, path: string): StaticPath {
  const endings = collectTextEndings(trie, path);
  const first = endings === undefined ? collectEndings(trie, path)[0]?.ending : endings[0];
  if (
    first === undefined ||
    !first.quick ||
    first.variables.length > 0 ||
    first.slash !== endsInSlash(path)
  ) {
    return { path, endings, method: undefined, match: undefined };
  }
  const match = Object.freeze({ kind: 'match', route: first.route, parameters: noParameters } as const);
  return { path, endings, method: first.method, match };
}
