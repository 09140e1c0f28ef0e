import { sameName } from './same-name.js';

/**
 * Header fields of one request, read from the raw list of the wire: nothing is joined, dropped or lower-cased before
 * somebody asks, and no name can reach an object's prototype. Frozen, with a list of its own.
 */
export class RequestHeaders implements Iterable<[name: string, value: string]> {
  /** Names and values in turn, as sent. Frozen. */
  readonly raw: readonly string[];

  /** A list that is frozen is kept as it is, any other is copied. */
  constructor(raw: readonly string[]) {
    this.raw = Object.isFrozen(raw) ? raw : Object.freeze([...raw]);
    Object.freeze(this);
  }

  /** The value; several fields of one name are joined by `, ` (RFC 9110 section 5.3), cookies by `; `. */
  get(name: string): string | undefined {
    const { raw } = this;
    let found: string | undefined;
    for (let index = 0; index < raw.length; index += 2) {
      const candidate = raw[index];
      if (candidate === undefined || !sameName(candidate, name)) continue;
      const value = raw[index + 1] ?? '';
      found = found === undefined ? value : `${found}${sameName(name, 'cookie') ? '; ' : ', '}${value}`;
    }
    return found;
  }

  /** Every field of the name, unjoined. */
  getAll(name: string): string[] {
    const values: string[] = [];
    for (const [candidate, value] of this) if (sameName(candidate, name)) values.push(value);
    return values;
  }

  /** How many fields have the name. */
  count(name: string): number {
    let count = 0;
    for (let index = 0; index < this.raw.length; index += 2) {
      const candidate = this.raw[index];
      if (candidate !== undefined && sameName(candidate, name)) count += 1;
    }
    return count;
  }

  has(name: string): boolean {
    const { raw } = this;
    for (let index = 0; index < raw.length; index += 2) {
      const candidate = raw[index];
      if (candidate !== undefined && sameName(candidate, name)) return true;
    }
    return false;
  }

  *[Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    for (let index = 0; index + 1 < this.raw.length; index += 2) {
      yield [this.raw[index] ?? '', this.raw[index + 1] ?? ''];
    }
  }
}
