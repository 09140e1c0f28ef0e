import { NameLists } from '#dump';
import { WebFields } from './web-fields.js';

/** Where the values of a field stand, by its name in lower case. */
type Places = ReadonlyMap<string, readonly number[]>;

/** Of the names of a request, never of its values: the same browser sends the same ones again and again. */
const lists = new NameLists(placesOf);
const nowhere: readonly number[] = [];

/**
 * Header fields of one request: nothing is joined, dropped or lower-cased before
 * it is read, and no name can reach an object's prototype. Nothing of it can be changed.
 */
export class RequestHeaders implements Iterable<[name: string, value: string]> {
  readonly #fields: readonly string[] | WebFields;
  #places: Places | undefined;

  /** From names and values in turn, as sent: a list that is frozen is kept as it is, any other is copied. */
  constructor(fields: readonly string[] | WebFields) {
    this.#fields =
      fields instanceof WebFields || Object.isFrozen(fields) ? fields : Object.freeze([...fields]);
    Object.freeze(this);
  }

  /** Names and values in turn, as sent: frozen, or a copy. */
  get raw(): readonly string[] {
    return this.#fields instanceof WebFields ? [...this.#fields.list()] : this.#fields;
  }

  /** How many fields there are. */
  get size(): number {
    return this.#fields instanceof WebFields ? this.#fields.size : this.#fields.length / 2;
  }

  /** The value; several fields of one name are joined by `, ` (RFC 9110 section 5.3), cookies by `; `. */
  get(name: string): string | undefined {
    if (this.#fields instanceof WebFields) return this.#fields.get(name);
    const places = this.#placesOf(name);
    if (places.length < 2) return places[0] === undefined ? undefined : (this.#fields[places[0]] ?? '');
    return this.getAll(name).join(name.toLowerCase() === 'cookie' ? '; ' : ', ');
  }

  /** Every field of the name, unjoined. */
  getAll(name: string): string[] {
    const list = this.#list();
    return this.#placesOf(name).map((place) => list[place] ?? '');
  }

  /** How many fields have the name. */
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
