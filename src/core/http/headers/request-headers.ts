/** Indexes of a field's values in the raw list, by lower-case name. */
type Locations = ReadonlyMap<string, readonly number[]>;

const maxLists = 32;
const maxNames = 64;

/**
 * The most recent name lists, with the positions of their fields: browsers send few different lists. Contains no
 * values.
 */
const knownNames: (readonly string[])[] = [];
const knownLocations: Locations[] = [];
let nextList = 0; // the slot to use next

/**
 * Returns the positions of the fields in `flat`, a list of alternating names and values; the same object for the same
 * names.
 */
function cachedLocations(flat: readonly string[]): Locations {
  for (let at = 0; at < knownNames.length; at++) {
    const found = haveNames(flat, knownNames[at]) ? knownLocations[at] : undefined;
    if (found !== undefined) return found;
  }
  const names = flat.filter((_, at) => at % 2 === 0);
  const found = locationsOf(names);
  if (names.length > maxNames) return found;
  const at = nextList++ % maxLists;
  knownNames[at] = names;
  knownLocations[at] = found;
  return found;
}

function haveNames(flat: readonly string[], names: readonly string[] = []): boolean {
  if (flat.length >> 1 !== names.length) return false;
  for (let at = 0; at < names.length; at++) if (flat[at * 2] !== names[at]) return false;
  return true;
}

/** Compares field names case-insensitively; they are ASCII (RFC 9110 section 5.1). */
export function sameName(left: string, right: string): boolean {
  if (left === right) return true;
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at++) {
    const code = left.charCodeAt(at);
    const other = right.charCodeAt(at);
    if (code !== other && !((code ^ other) === 32 && isLetter(code | 32))) return false;
  }
  return true;
}

function isLetter(code: number): boolean {
  return code >= 97 && code <= 122;
}

/** Returns the first value of a field from a list of alternating names and values. */
export function findField(raw: readonly string[], wanted: string): string | undefined {
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at];
    if (name !== undefined && sameName(name, wanted)) return raw[at + 1];
  }
  return undefined;
}

/** Iterates over the fields in a list of alternating names and values. */
export function* headerPairs(raw: readonly string[]): Generator<[name: string, value: string], undefined> {
  for (let at = 0; at + 1 < raw.length; at += 2) yield [raw[at] ?? '', raw[at + 1] ?? ''];
}

/** Lists alternating names and values. Adds the URL's host first if there is no Host field. */
export function listFields(headers: Headers, url: string): string[] {
  const list = headers.has('host') ? [] : ['host', new URL(url).host];
  // oxlint-disable-next-line unicorn/no-array-for-each -- an iterator allocates an array for each field
  headers.forEach((value, name) => void list.push(name, value));
  return list;
}

const nowhere: readonly number[] = [];

/** One request's immutable header fields. Values are joined when read, and no name can reach an object's prototype. */
export class RequestHeaders implements Iterable<[name: string, value: string]> {
  /** Alternating names and values, as sent. */
  readonly raw: readonly string[];
  #places: Locations | undefined;

  /** Takes alternating names and values, as sent. A frozen list is kept; any other list is copied. */
  constructor(fields: readonly string[]) {
    this.raw = Object.isFrozen(fields) ? fields : Object.freeze([...fields]);
    Object.freeze(this);
  }

  /** Indexes of the values in `raw` by lower-case name; one object for all requests with the same list of names. */
  get locations(): Locations {
    return (this.#places ??= cachedLocations(this.raw));
  }

  /** Returns the value. Repeated fields are joined by `, ` (RFC 9110 section 5.3), cookies by `; `. */
  get(name: string): string | undefined {
    const locations = this.#placesOf(name);
    if (locations.length < 2) return locations[0] === undefined ? undefined : (this.raw[locations[0]] ?? '');
    return this.getAll(name).join(name.toLowerCase() === 'cookie' ? '; ' : ', ');
  }

  /** Returns the values of all fields with the name, not joined. */
  getAll(name: string): string[] {
    return this.#placesOf(name).map((index) => this.raw[index] ?? '');
  }

  count(name: string): number {
    return this.#placesOf(name).length;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  #placesOf(name: string): readonly number[] {
    const { locations } = this;
    const found = locations.get(name);
    if (found !== undefined) return found;
    const lower = name.toLowerCase();
    return lower === name ? nowhere : (locations.get(lower) ?? nowhere); // most requested names are absent
  }

  [Symbol.iterator](): Iterator<[name: string, value: string], undefined> {
    return headerPairs(this.raw);
  }
}

function locationsOf(names: readonly string[]): Locations {
  const locations = new Map<string, number[]>();
  for (const [at, name] of names.entries()) {
    const key = name.toLowerCase();
    const known = locations.get(key);
    if (known === undefined) locations.set(key, [at * 2 + 1]);
    else known.push(at * 2 + 1);
  }
  return locations;
}
