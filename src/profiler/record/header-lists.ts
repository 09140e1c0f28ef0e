import type { Redactor } from '#dump';
import type { PackReader } from './pack-reader.js';
import type { PackWriter } from './pack-writer.js';

/** Names and values in turn. */
type FlatHeaders = readonly string[];

interface KnownList {
  readonly raw: FlatHeaders;
  readonly number: number;
  /** By the place of a value that named its own record: what stands before and after the token in it. */
  readonly around: ReadonlyMap<number, readonly [before: string, after: string]> | undefined;
}

/** Stands for the token of the record that is read; no header can hold it. */
const ownToken = '\0';

const mostKnown = 4;
const mostFields = 256;
const longestValue = 16_384;
const cutMark = '… [cut]';

/**
 * Writes header lists as their difference from one written before: a browser sends the same fields again and again, and
 * comparing costs a fraction of writing. What is new goes through the redactor, once.
 */
export class HeaderListWriter {
  readonly #pack: PackWriter;
  readonly #redactor: Redactor;
  readonly #known: KnownList[] = [];
  /** Places of the values that differ, as many as `#changes` says. */
  readonly #changed = new Uint16Array(mostFields);
  #changes = 0;
  /** The whole list, where it is to stand in the record. */
  #inline: FlatHeaders | undefined;

  constructor(pack: PackWriter, redactor: Redactor) {
    this.#pack = pack;
    this.#redactor = redactor;
  }

  /**
   * Number of the list in the shape of a record: 0 where it stands in the record itself. `token` is the record's own, for
   * a response: a header that holds it is the same for all records.
   */
  find(raw: FlatHeaders, token?: string): number {
    this.#inline = undefined;
    const last = this.#known[0];
    if (last !== undefined && last.raw === raw) {
      this.#changes = 0;
      return last.number + 1;
    }
    for (const known of this.#known) if (this.#compare(raw, known, token)) return known.number + 1;
    return this.#addNew(raw, token);
  }

  /** Writes what the list that was found does not have. */
  write(raw: FlatHeaders): void {
    const pack = this.#pack;
    if (this.#inline !== undefined) {
      pack.number(this.#inline.length);
      for (const text of this.#inline) pack.string(text);
      return;
    }
    pack.number(this.#changes);
    for (let index = 0; index < this.#changes; index++) {
      const at = this.#changed[index] ?? 0;
      pack.number(at);
      pack.string(this.#redactor.value(raw[at - 1] ?? '', bounded(raw[at] ?? '')));
    }
  }

  /** Collects the places of values that differ; false where names differ or too many values do. */
  #compare(raw: FlatHeaders, known: KnownList, token?: string): boolean {
    this.#changes = 0;
    const before = known.raw;
    if (raw.length !== before.length) return false;
    for (let at = 0; at < raw.length; at++) {
      if (raw[at] === before[at] || isAround(known.around?.get(at), token, raw[at])) continue;
      if (at % 2 === 0 || this.#changes * 4 > raw.length) return false;
      this.#changed[this.#changes++] = at;
    }
    return true;
  }

  #addNew(raw: FlatHeaders, token: string | undefined): number {
    const fields = raw.length > mostFields * 2 ? raw.slice(0, mostFields * 2) : raw;
    const clean = this.#redactor.headers(fields.map(bounded));
    const shared =
      token === undefined
        ? clean
        : clean.map((text, at) => (at % 2 === 1 ? text.replace(token, ownToken) : text));
    const isHostile = clean.some((text) => text.includes(ownToken));
    const numbers = isHostile ? [-1] : shared.map((text) => this.#pack.words.numberOf(text));
    if (numbers.includes(-1)) {
      this.#inline = clean;
      return 0;
    }
    this.#changes = 0;
    const number = this.#pack.addList(numbers);
    if (fields === raw) {
      const around = aroundToken(shared);
      // Where a token stood, equal text would be that of another record.
      const compared = around === undefined ? raw : raw.map((text, at) => (around.has(at) ? ownToken : text));
      this.#known.unshift({ raw: compared, number, around });
      if (this.#known.length > mostKnown) this.#known.pop();
    }
    return number + 1;
  }
}

/** Where the own token stands in the values; undefined where in none. */
function aroundToken(clean: FlatHeaders): Map<number, readonly [string, string]> | undefined {
  let around: Map<number, readonly [string, string]> | undefined;
  for (const [at, text] of clean.entries()) {
    const place = text.indexOf(ownToken);
    if (place !== -1) (around ??= new Map()).set(at, [text.slice(0, place), text.slice(place + 1)]);
  }
  return around;
}

function isAround(around: readonly [string, string] | undefined, token = '', value = ''): boolean {
  if (around === undefined) return false;
  if (value === token) return around[0] === '' && around[1] === '';
  const [before, after] = around;
  return (
    value.length === before.length + token.length + after.length &&
    value.startsWith(token, before.length) &&
    value.startsWith(before) &&
    value.endsWith(after)
  );
}

/** Reads a list that a `HeaderListWriter` wrote: under its number in the shape, of the record with this token. */
export function readHeaderList(
  pack: PackReader,
  number: number,
  token: string,
): [name: string, value: string][] {
  let flat: string[];
  const count = pack.number();
  if (number === 0) {
    if (count > mostFields * 2) throw new RangeError('The record is damaged.');
    flat = Array.from({ length: count }, () => pack.string());
  } else {
    flat = (pack.lists[number - 1] ?? []).map((word) => pack.wordAt(word).replace(ownToken, token));
    for (let changes = count; changes > 0; changes--) {
      const at = pack.number();
      flat[at] = pack.string();
    }
  }
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) {
    pairs.push([flat[at] ?? '', flat[at + 1] ?? '']);
  }
  return pairs;
}

function bounded(text: string): string {
  return text.length > longestValue ? text.slice(0, longestValue) + cutMark : text;
}
