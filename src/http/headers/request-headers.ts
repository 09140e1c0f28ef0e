import { NameLists } from '#dump';

/** Where the values of a field stand, by its name in lower case. */
type Places = ReadonlyMap<string, readonly number[]>;

/** Of the names of a request, never of its values: the same browser sends the same ones again and again. */
const lists = new NameLists(placesOf);
const nowhere: readonly number[] = [];

/**
 * Header fields of one request, read from the raw list of the wire: nothing is joined, dropped or lower-cased before
 * somebody asks, and no name can reach an object's prototype. Frozen, with a list of its own.
 */
export class RequestHeaders implements Iterable<[name: string, value: string]> {
  /** Names and values in turn, as sent. Frozen. */
  readonly raw: readonly string[];
  #places: Places | undefined;

  /** A list that is frozen is kept as it is, any other is copied. */
  constructor(raw: readonly string[]) {
    this.raw = Object.isFrozen(raw) ? raw : Object.freeze([...raw]);
    Object.freeze(this);
  }

  /** The value; several fields of one name are joined by `, ` (RFC 9110 section 5.3), cookies by `; `. */
  get(name: string): string | undefined {
    const places = this.#placesOf(name);
    if (places.length < 2) return places[0] === undefined ? undefined : (this.raw[places[0]] ?? '');
    return this.getAll(name).join(name.toLowerCase() === 'cookie' ? '; ' : ', ');
  }

  /** Every field of the name, unjoined. */
  getAll(name: string): string[] {
    return this.#placesOf(name).map((place) => this.raw[place] ?? '');
  }

  /** How many fields have the name. */
  count(name: string): number {
    return this.#placesOf(name).length;
  }

  has(name: string): boolean {
    return this.#placesOf(name).length > 0;
  }

  #placesOf(name: string): readonly number[] {
    const places = (this.#places ??= lists.of(this.raw));
    return places.get(name) ?? places.get(name.toLowerCase()) ?? nowhere;
  }

  *[Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    for (let index = 0; index + 1 < this.raw.length; index += 2) {
      yield [this.raw[index] ?? '', this.raw[index + 1] ?? ''];
    }
  }
}

function placesOf(names: readonly string[]): Places {
  const places = new Map<string, number[]>();
  for (const [at, name] of names.entries()) {
    const key = name.toLowerCase();
    const known = places.get(key);
    if (known === undefined) places.set(key, [at * 2 + 1]);
    else known.push(at * 2 + 1);
  }
  return places;
}
