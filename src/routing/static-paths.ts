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

/**
 * A hash table of its own. A `Map` would read every character of every path it is asked for, and most of those have
 * variables; here one character turns nearly all of them away.
 */
export interface StaticPaths {
  /** 1 for each pair of length and last character that some path has. */
  readonly ends: Uint8Array;
  /** A path stands at its fingerprint, or in the first free place behind it; at most half of the places are taken. */
  readonly places: readonly (StaticPath | undefined)[];
  /** Those that are too much alike: paths for which there was no free place near their fingerprint. */
  readonly crowd: ReadonlyMap<string, StaticPath> | undefined;
}

/** How many places a path may stand behind its fingerprint. */
const furthest = 4;

/** The paths of all endings without variables. */
export function collectStatics(trie: TrieNode, endings: readonly RouteEnding[]): StaticPaths {
  const known = new Map<string, StaticPath>();
  for (const { variables, route } of endings) {
    if (variables.length > 0) continue;
    const token = route.pattern.tokens[0];
    const path = internText(token?.kind === 'text' ? token.text : '/');
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
  const crowd = new Map<string, StaticPath>();
  for (const one of statics) {
    const print = fingerprint(one.path);
    let distance = 0;
    while (distance < furthest && places[(print + distance) & (size - 1)] !== undefined) distance += 1;
    if (distance === furthest) crowd.set(one.path, one);
    else places[(print + distance) & (size - 1)] = one;
    ends[endOf(one.path)] = 1;
  }
  return { ends, places, crowd: crowd.size === 0 ? undefined : crowd };
}

export function findStatic({ ends, places, crowd }: StaticPaths, path: string): StaticPath | undefined {
  if (ends[endOf(path)] === 0) return undefined;
  const print = fingerprint(path);
  for (let distance = 0; distance < furthest; distance += 1) {
    const known = places[(print + distance) & (places.length - 1)];
    if (known === undefined) return undefined;
    if (known.path === path) return known;
  }
  return crowd?.get(path);
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
