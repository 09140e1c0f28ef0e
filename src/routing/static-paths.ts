/**
 * Paths without variables, as a hash table of its own. A `Map` would read every character of every path it is asked
 * for, and most of those have variables; here one character turns nearly all of them away.
 */
export interface StaticPaths<Entry> {
  /** 1 for each pair of length and last character that some path has. */
  readonly ends: Uint8Array;
  /** By fingerprint; a power of two of them. */
  readonly slots: readonly (readonly StaticPath<Entry>[] | undefined)[];
}

interface StaticPath<Entry> {
  readonly path: string;
  readonly entry: Entry;
}

export function createStaticPaths<Entry>(entries: ReadonlyMap<string, Entry>): StaticPaths<Entry> {
  const ends = new Uint8Array(64 * 128);
  const size = 2 ** Math.ceil(Math.log2(entries.size * 4 + 16));
  const slots: (StaticPath<Entry>[] | undefined)[] = [];
  for (let slot = 0; slot < size; slot += 1) slots.push(undefined);
  for (const [path, entry] of entries) {
    ends[endOf(path)] = 1;
    (slots[fingerprint(path) & (size - 1)] ??= []).push({ path, entry });
  }
  return { ends, slots };
}

export function findStatic<Entry>({ ends, slots }: StaticPaths<Entry>, path: string): Entry | undefined {
  if (ends[endOf(path)] === 0) return undefined;
  const slot = slots[fingerprint(path) & (slots.length - 1)];
  if (slot === undefined) return undefined;
  for (let index = 0; index < slot.length; index += 1) {
    const one = slot[index];
    if (one?.path === path) return one.entry;
  }
  return undefined;
}

/** Length and last character; lengths beyond the table share its cells. */
function endOf(path: string): number {
  return ((path.length & 63) << 7) | (path.charCodeAt(path.length - 1) & 127);
}

/** Length and three characters from all over the path: the same work for every length. */
function fingerprint(path: string): number {
  const { length } = path;
  const quarter = length >> 2;
  const print =
    (length << 5) ^
    (path.charCodeAt(1) << 10) ^
    (path.charCodeAt(quarter) << 3) ^
    (path.charCodeAt(length >> 1) << 7) ^
    path.charCodeAt(length - 1 - quarter);
  return print ^ (print >> 9);
}
