/**
 * Paths without variables, as a hash table of its own. A `Map` would read every character of every path it is asked
 * for, and most of those have variables; here one character turns nearly all of them away.
 */
export interface StaticPaths<Entry> {
  /** 1 for each pair of length and last character that some path has. */
  readonly ends: Uint8Array;
  /** A path stands at its fingerprint, or in the first free place behind it; at most half of the places are taken. */
  readonly paths: readonly (string | undefined)[];
  readonly entries: readonly (Entry | undefined)[];
}

export function createStaticPaths<Entry>(given: ReadonlyMap<string, Entry>): StaticPaths<Entry> {
  const size = 2 ** Math.ceil(Math.log2(given.size * 2 + 16));
  const ends = new Uint8Array(64 * 128);
  const paths: (string | undefined)[] = [];
  const entries: (Entry | undefined)[] = [];
  for (let place = 0; place < size; place += 1) {
    paths.push(undefined);
    entries.push(undefined);
  }
  for (const [path, entry] of given) {
    let place = fingerprint(path) & (size - 1);
    while (paths[place] !== undefined) place = (place + 1) & (size - 1);
    ends[endOf(path)] = 1;
    paths[place] = path;
    entries[place] = entry;
  }
  return { ends, paths, entries };
}

export function findStatic<Entry>(
  { ends, paths, entries }: StaticPaths<Entry>,
  path: string,
): Entry | undefined {
  if (ends[endOf(path)] === 0) return undefined;
  let place = fingerprint(path) & (paths.length - 1);
  for (let known = paths[place]; known !== undefined; known = paths[place]) {
    if (known === path) return entries[place];
    place = (place + 1) & (paths.length - 1);
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
