import type { Redactor } from '#dump';
import type { PackReader } from './pack-reader.js';
import type { PackWriter } from './pack-writer.js';

/** Names and values in turn. */
type FlatHeaders = readonly string[];

interface KnownList {
  readonly raw: FlatHeaders;
  readonly number: number;
  /** By the place of a value that named its own record: what stands around the token in it. */
  readonly around: readonly (Around | undefined)[];
  /** Where the value of Content-Type is; −1 without one. */
  readonly typeAt: number;
}

interface Around {
  readonly before: string;
  readonly after: string;
}

/** The record that a response belongs to: a header that names it is the same for all records. */
export interface HeaderOwner {
  readonly token: string;
  /** The last address that was made of the token, and what stands before the token in it. */
  readonly linkText: string;
  readonly linkBase: string;
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
  #typeAt = -1;

  constructor(pack: PackWriter, redactor: Redactor) {
    this.#pack = pack;
    this.#redactor = redactor;
  }

  /** Number of the list in the shape of a record: 0 where it stands in the record itself. `owner`: of a response. */
  find(raw: FlatHeaders, owner?: HeaderOwner): number {
    this.#inline = undefined;
    for (const known of this.#known) {
      if (known.raw === raw) this.#changes = 0;
      else if (!this.#compare(raw, known, owner)) continue;
      this.#typeAt = known.typeAt;
      return known.number + 1;
    }
    return this.#addNew(raw, owner);
  }

  /** The media type in the list that was found, as it was sent. */
  contentType(raw: FlatHeaders): string {
    return raw[this.#typeAt] ?? '';
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
  #compare(raw: FlatHeaders, known: KnownList, owner?: HeaderOwner): boolean {
    this.#changes = 0;
    const before = known.raw;
    if (raw.length !== before.length) return false;
    for (let at = 0; at < raw.length; at++) {
      const text = raw[at];
      if (text === before[at] || isAround(known.around[at], owner, text)) continue;
      if (at % 2 === 0 || this.#changes * 4 > raw.length) return false;
      this.#changed[this.#changes++] = at;
    }
    return true;
  }

  #addNew(raw: FlatHeaders, owner: HeaderOwner | undefined): number {
    const fields = raw.length > mostFields * 2 ? raw.slice(0, mostFields * 2) : raw;
    const typeAt = fields.findIndex((text, at) => at % 2 === 0 && text.toLowerCase() === 'content-type');
    this.#typeAt = typeAt === -1 ? -1 : typeAt + 1;
    const clean = this.#redactor.headers(fields.map(bounded));
    const shared =
      owner === undefined
        ? clean
        : clean.map((text, at) => (at % 2 === 1 ? text.replace(owner.token, ownToken) : text));
    const isHostile = clean.some((text) => text.includes(ownToken));
    const numbers = isHostile ? [-1] : shared.map((text) => this.#pack.words.numberOf(text));
    if (numbers.includes(-1)) {
      this.#inline = clean;
      return 0;
    }
    this.#changes = 0;
    const number = this.#pack.addList(numbers);
    if (fields === raw) {
      const around = shared.map((text) => aroundToken(text, owner));
      // Where a token stood, equal text would be that of another record.
      const compared = around.every((place) => place === undefined)
        ? raw
        : raw.map((text, at) => (around[at] === undefined ? text : ownToken));
      this.#known.unshift({ raw: compared, number, around, typeAt: this.#typeAt });
      if (this.#known.length > mostKnown) this.#known.pop();
    }
    return number + 1;
  }
}

function aroundToken(text: string, owner: HeaderOwner | undefined): Around | undefined {
  const place = text.indexOf(ownToken);
  if (place === -1) return undefined;
  const before = text.slice(0, place);
  // One text for all records that are linked to alike: it is compared for each of them.
  return { before: before === owner?.linkBase ? owner.linkBase : before, after: text.slice(place + 1) };
}

function isAround(around: Around | undefined, owner: HeaderOwner | undefined, value = ''): boolean {
  if (around === undefined || owner === undefined) return false;
  const { before, after } = around;
  const { token, linkText, linkBase } = owner;
  if (value === token) return before === '' && after === '';
  if (value === linkText) return before === linkBase && after === '';
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
