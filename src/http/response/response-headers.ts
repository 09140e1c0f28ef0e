import { httpErrors } from '../failures/error-codes.js';
import { tokenPattern } from '../headers/parameters.js';
import { sameName } from '../headers/request-headers.js';

/** Header fields of a response, in the order in which they were set. Names keep their spelling and are case-insensitive. */
export class ResponseHeaders implements Iterable<[name: string, value: string]> {
  #flat: string[] = [];
  #isSent = false;

  constructor(init?: Readonly<Record<string, string>> | Iterable<readonly [string, string]>) {
    if (init === undefined) return;
    const pairs = Symbol.iterator in init ? init : Object.entries(init);
    for (const [name, value] of pairs as Iterable<readonly [string, string]>) this.append(name, value); // Object.entries or the iterable itself
  }

  /** Returns a copy that can be changed. */
  copy(): ResponseHeaders {
    const copy = new ResponseHeaders();
    copy.#flat = this.#flat.slice();
    return copy;
  }

  /** Makes every later change throw `HTTP_RESPONSE_SENT`. */
  seal(): void {
    this.#isSent = true;
  }

  /** Alternating names and values, for the server to write. Do not modify. */
  get flat(): readonly string[] {
    return this.#flat;
  }

  get(name: string): string | undefined {
    const at = this.#indexOf(name);
    return at === -1 ? undefined : this.#flat[at + 1];
  }

  getAll(name: string): string[] {
    const values: string[] = [];
    for (let index = 0; index < this.#flat.length; index += 2)
      if (sameName(this.#flat[index] ?? '', name)) values.push(this.#flat[index + 1] ?? '');
    return values;
  }

  has(name: string): boolean {
    return this.#indexOf(name) !== -1;
  }

  /** Replaces all fields of the name by one. */
  set(name: string, value: string): void {
    const at = this.#indexOf(name);
    if (at === -1) {
      this.append(name, value);
      return;
    }
    this.#assertOpen(name);
    assertFieldText(name, value);
    this.#flat[at] = name;
    this.#flat[at + 1] = value;
    for (let index = this.#flat.length - 2; index > at; index -= 2) {
      if (sameName(this.#flat[index] ?? '', name)) this.#flat.splice(index, 2);
    }
  }

  /** Adds a field and keeps same-named ones (Set-Cookie, Link). */
  append(name: string, value: string): void {
    this.#assertOpen(name);
    assertFieldText(name, value);
    this.#flat.push(name, value);
  }

  /** Adds a token to a comma-separated list field (`Vary`, `Allow`) unless the list has it. */
  addToken(name: string, token: string): void {
    const present = this.get(name);
    if (present === undefined) this.append(name, token);
    else if (!present.split(',').some((other) => sameName(other.trim(), token)))
      this.set(name, `${present}, ${token}`);
  }

  delete(name: string): void {
    this.#assertOpen(name);
    for (let index = this.#flat.length - 2; index >= 0; index -= 2) {
      if (sameName(this.#flat[index] ?? '', name)) this.#flat.splice(index, 2);
    }
  }

  *[Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    for (let index = 0; index + 1 < this.#flat.length; index += 2) {
      yield [this.#flat[index] ?? '', this.#flat[index + 1] ?? ''];
    }
  }

  #assertOpen(name: string): void {
    if (this.#isSent) throw httpErrors.create('HTTP_RESPONSE_SENT', { name });
  }

  #indexOf(name: string): number {
    for (let index = 0; index < this.#flat.length; index += 2) {
      if (sameName(this.#flat[index] ?? '', name)) return index;
    }
    return -1;
  }
}

// Everything except HTAB, visible ASCII and obs-text (RFC 9110 section 5.5): a CR or LF here would split the response.
const forbiddenValuePattern = /[^\t\x20-\x7e\x80-\xff]/;

/** Names that were valid, since applications set few different ones. */
const fieldNames = new Set<string>();

function isFieldName(name: string): boolean {
  if (fieldNames.has(name)) return true;
  if (!tokenPattern.test(name)) return false;
  if (fieldNames.size < 200) fieldNames.add(name);
  return true;
}

function assertFieldText(name: string, value: string): void {
  if (!isFieldName(name)) throw new TypeError(`"${name}" is not a header name (RFC 9110 section 5.1).`);
  if (typeof value !== 'string') throw new TypeError(`The value of the header ${name} is not a string.`);
  if (forbiddenValuePattern.test(value)) {
    throw new TypeError(
      `The value of the header ${name} contains a character that is not allowed in headers.`,
    );
  }
}
