import { NameLists } from '#dump';
import { WebFields } from './web-fields.js';

/** Indexes of a field's values in the raw list, by lower-case name. */
type Places = ReadonlyMap<string, readonly number[]>;

/** Cache of the positions by the list of field names: a browser repeats the same names in every request. Holds no values. */
const lists = new NameLists(placesOf);
const nowhere: readonly number[] = [];

/**
 * Immutable header fields of one request, as sent. Values are joined only when they are read, and no name can reach an
 * object's prototype.
 */
export class RequestHeaders implements Iterable<[name: string, value: string]> {
  readonly #fields: readonly string[] | WebFields;
  #places: Places | undefined;

  /** Takes alternating names and values, as sent. A frozen list is kept; any other list is copied. */
  constructor(fields: readonly string[] | WebFields) {
    this.#fields =
      fields instanceof WebFields || Object.isFrozen(fields) ? fields : Object.freeze([...fields]);
    Object.freeze(this);
  }

  /** Alternating names and values, as sent: a frozen list or a copy. */
  get raw(): readonly string[] {
    return this.#fields instanceof WebFields ? [...this.#fields.list()] : this.#fields;
  }

  /** Number of fields. */
  get size(): number {
    return this.#fields instanceof WebFields ? this.#fields.size : this.#fields.length / 2;
  }

  /** Returns the value. Repeated fields are joined by `, ` (RFC 9110 section 5.3), cookies by `; `. */
  get(name: string): string | undefined {
    if (this.#fields instanceof WebFields) return this.#fields.get(name);
    const places = this.#placesOf(name);
    if (places.length < 2) return places[0] === undefined ? undefined : (this.#fields[places[0]] ?? '');
    return this.getAll(name).join(name.toLowerCase() === 'cookie' ? '; ' : ', ');
  }

  /** Returns the values of all fields with the name, not joined. */
  getAll(name: string): string[] {
    const list = this.#list();
    return this.#placesOf(name).map((place) => list[place] ?? '');
  }

  /** Returns the number of fields with the name. */
  count(name: string): number {
    return this.#placesOf(name).length;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  #list(): readonly string[] {
    return this.#fields instanceof WebFields ? this.#fields.list() : this.#fields;
  }

  #placesOf(name: string): readonly number[] {
    const places = (this.#places ??= lists.of(this.#list()));
    return places.get(name) ?? places.get(name.toLowerCase()) ?? nowhere;
  }

  *[Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    const list = this.#list();
    for (let index = 0; index + 1 < list.length; index += 2) {
      yield [list[index] ?? '', list[index + 1] ?? ''];
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
