import { sameName } from './same-name.js';

const mostKnown = 4;
/** Lists that came last, those seen last first. */
const known: RequestHeaders[] = [];
const mostFound = 100;

/**
 * Header fields of a request, read from the raw list of the wire: nothing is joined, dropped or lower-cased before
 * somebody asks, and no name can reach an object's prototype.
 */
export class RequestHeaders implements Iterable<[name: string, value: string]> {
  /** Names and values in turn, as sent. */
  readonly raw: readonly string[];
  /** What was asked for by now, where the same fields came more than once. */
  #found: Map<string, string | null> | undefined;

  constructor(raw: readonly string[]) {
    this.raw = raw;
  }

  /**
   * The object that was made of the same fields before, where it is known: clients send the same again and again. Whoever
   * keeps what follows from a request's fields may tell them by this object.
   */
  static of(raw: readonly string[]): RequestHeaders {
    for (let at = 0; at < known.length; at++) {
      const headers = known[at];
      if (headers === undefined || !areSame(headers.raw, raw)) continue;
      const first = known[0];
      if (at > 0 && first !== undefined) [known[0], known[at]] = [headers, first];
      headers.#found ??= new Map();
      return headers;
    }
    const headers = new RequestHeaders(raw);
    if (known.length === mostKnown) known.pop();
    known.unshift(headers);
    return headers;
  }

  /** The value; several fields of one name are joined by `, ` (RFC 9110 section 5.3), cookies by `; `. */
  get(name: string): string | undefined {
    if (this.#found === undefined) return this.#find(name);
    const found = this.#found.get(name);
    if (found !== undefined) return found ?? undefined;
    const value = this.#find(name);
    if (this.#found.size < mostFound) this.#found.set(name, value ?? null);
    return value;
  }

  #find(name: string): string | undefined {
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

function areSame(left: readonly string[], right: readonly string[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false;
  return true;
}
