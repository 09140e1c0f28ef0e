/** Maximum number of cached lists. */
const maxLists = 32;
/** Maximum number of names of a cached list. */
const maxNames = 64;

/**
 * Caches facts derived from the names of header fields, by list of names: browsers send few different lists. Values are
 * never read or stored.
 */
export class NameLists<Found> {
  readonly #find: (names: readonly string[]) => Found;
  readonly #names: (readonly string[])[] = [];
  readonly #found: Found[] = [];
  #next = 0;

  constructor(find: (names: readonly string[]) => Found) {
    this.#find = find;
  }

  /** Returns the facts for the names in `flat`, a list of alternating names and values. */
  of(flat: readonly string[]): Found {
    const known = this.#names;
    for (let at = 0; at < known.length; at++) {
      const found = haveNames(flat, known[at]) ? this.#found[at] : undefined;
      if (found !== undefined) return found;
    }
    const names = flat.filter((_, at) => at % 2 === 0);
    const found = this.#find(names);
    if (names.length > maxNames) return found;
    const at = this.#next++ % maxLists;
    known[at] = names;
    this.#found[at] = found;
    return found;
  }
}

function haveNames(flat: readonly string[], names: readonly string[] = []): boolean {
  if (flat.length >> 1 !== names.length) return false;
  for (let at = 0; at < names.length; at++) if (flat[at * 2] !== names[at]) return false;
  return true;
}
