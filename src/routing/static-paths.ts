import { collectEndings, collectTextEndings } from './collect-endings.js';
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

/**
 * A hash table of its own. A `Map` would read every character of every path it is asked for, and most of those have
 * variables; here one character turns nearly all of them away.
 */
export interface StaticPaths {
  /** 1 for each pair of length and last character that some path has. */
  readonly ends: Uint8Array;
  /** A path stands at its fingerprint, or in the first free place behind it; at most half of the places are taken. */
  readonly places: readonly (StaticPath | undefined)[];
}

/** The paths of all endings without variables. */
export function collectStatics(trie: TrieNode, endings: readonly RouteEnding[]): StaticPaths {
  const known = new Map<string, StaticPath>();
  for (const { variables, route } of endings) {
    if (variables.length > 0) continue;
    const token = route.pattern.tokens[0];
    const path = token?.kind === 'text' ? token.text : '/';
    if (!known.has(path)) known.set(path, createStaticPath(trie, path));
  }
  return createTable([...known.values()]);
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

function createTable(statics: readonly StaticPath[]): StaticPaths {
  const size = 2 ** Math.ceil(Math.log2(statics.length * 2 + 16));
  const ends = new Uint8Array(64 * 128);
  const places = Array<StaticPath | undefined>(size).fill(undefined);
  for (const one of statics) {
    let place = fingerprint(one.path) & (size - 1);
    while (places[place] !== undefined) place = (place + 1) & (size - 1);
    ends[endOf(one.path)] = 1;
    places[place] = one;
  }
  return { ends, places };
}

export function findStatic({ ends, places }: StaticPaths, path: string): StaticPath | undefined {
  if (ends[endOf(path)] === 0) return undefined;
  let place = fingerprint(path) & (places.length - 1);
  for (let known = places[place]; known !== undefined; known = places[place]) {
    if (known.path === path) return known;
    place = (place + 1) & (places.length - 1);
  }
  return undefined;
}

/** Length and last character; lengths beyond the table share its cells. */
function endOf(path: string): number {
  return ((path.length & 63) << 7) | (path.charCodeAt(path.length - 1) & 127);
}

/** Length and four characters from all over the path: the same work for every length. */
function fingerprint(path: string): number {
  const { length } = path;
  const quarter = length >> 2;
  let print = length;
  print = Math.imul(print ^ path.charCodeAt(1), 0x01000193);
  print = Math.imul(print ^ path.charCodeAt(quarter), 0x01000193);
  print = Math.imul(print ^ path.charCodeAt(length >> 1), 0x01000193);
  print = Math.imul(print ^ path.charCodeAt(length - 1 - quarter), 0x01000193);
  return print ^ (print >>> 15);
}
