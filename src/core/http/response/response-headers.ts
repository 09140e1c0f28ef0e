import { httpErrors } from '../failures/error-codes.js';
import { tokenPattern } from '../headers/parameters.js';
import { headerPairs, findField, sameName } from '../headers/request-headers.js';

/** A response's header fields, in the order they were set. Names keep their spelling and are case-insensitive. */
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
    return findField(this.#flat, name);
  }

  getAll(name: string): string[] {
    return [...this].flatMap(([other, value]) => (sameName(other, name) ? [value] : []));
  }

  has(name: string): boolean {
    return findField(this.#flat, name) !== undefined;
  }

  set(name: string, value: string): void {
    this.#assertOpen(name);
    assertFieldText(name, value);
    const flat = this.#flat;
    let at = 0;
    while (at < flat.length && !sameName(flat[at] ?? '', name)) at += 2;
    flat[at] = name;
    flat[at + 1] = value;
    this.#deleteFrom(at + 2, name);
  }

  /** Adds a field and keeps existing ones with the same name (Set-Cookie, Link). */
  append(name: string, value: string): void {
    this.#assertOpen(name);
    assertFieldText(name, value);
    this.#flat.push(name, value);
  }

  /** Adds a token to a comma-separated list field (`Vary`, `Allow`) unless the list contains it. */
  addToken(name: string, token: string): void {
    const present = this.get(name);
    if (present === undefined) this.append(name, token);
    else if (!present.split(',').some((other) => sameName(other.trim(), token)))
      this.set(name, `${present}, ${token}`);
  }

  delete(name: string): void {
    this.#assertOpen(name);
    this.#deleteFrom(0, name);
  }

  #deleteFrom(start: number, name: string): void {
    for (let at = this.#flat.length - 2; at >= start; at -= 2)
      if (sameName(this.#flat[at] ?? '', name)) this.#flat.splice(at, 2);
  }

  [Symbol.iterator](): Iterator<[name: string, value: string], undefined> {
    return headerPairs(this.#flat);
  }

  #assertOpen(name: string): void {
    if (this.#isSent) throw httpErrors.create('HTTP_RESPONSE_SENT', { name });
  }
}

// Everything except HTAB, visible ASCII and obs-text (RFC 9110 section 5.5): a CR or LF here would split the response.
const forbiddenValuePattern = /[^\t\x20-\x7e\x80-\xff]/;

function assertFieldText(name: string, value: string): void {
  if (!tokenPattern.test(name)) throw new TypeError(`"${name}" is not a header name (RFC 9110 section 5.1).`);
  if (typeof value !== 'string') throw new TypeError(`The value of the header ${name} is not a string.`);
  if (forbiddenValuePattern.test(value)) {
    throw new TypeError(
      `The value of the header ${name} contains a character that is not allowed in headers.`,
    );
  }
}
