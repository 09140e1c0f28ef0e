import { sameName } from './same-name.js';

/**
 * Header fields of a request, read from the raw list of the wire: nothing is joined, dropped or lower-cased before
 * somebody asks, and no name can reach an object's prototype.
 */
export class RequestHeaders implements Iterable<[name: string, value: string]> {
  /** Names and values in turn, as sent. */
  readonly raw: readonly string[];

  constructor(raw: readonly string[]) {
    this.raw = raw;
  }

  /** The value; several fields of one name are joined by `, ` (RFC 9110 section 5.3), cookies by `; `. */
  get(name: string): string | undefined {
    const wanted = name.toLowerCase();
    let found: string | undefined;
    for (let index = 0; index < this.raw.length; index += 2) {
      const candidate = this.raw[index];
      if (candidate === undefined || !sameName(candidate, wanted)) continue;
      const value = this.raw[index + 1] ?? '';
      found = found === undefined ? value : `${found}${wanted === 'cookie' ? '; ' : ', '}${value}`;
    }
    return found;
  }

  /** Every field of the name, unjoined. */
  getAll(name: string): string[] {
    const wanted = name.toLowerCase();
    const values: string[] = [];
    for (const [candidate, value] of this) if (candidate.toLowerCase() === wanted) values.push(value);
    return values;
  }

  /** How many fields have the name. */
  count(name: string): number {
    const wanted = name.toLowerCase();
    let count = 0;
    for (let index = 0; index < this.raw.length; index += 2) {
      const candidate = this.raw[index];
      if (candidate !== undefined && sameName(candidate, wanted)) count += 1;
    }
    return count;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  *[Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    for (let index = 0; index + 1 < this.raw.length; index += 2) {
      yield [this.raw[index] ?? '', this.raw[index + 1] ?? ''];
    }
  }
}
