import { pathOf, urlOf } from '../form/summary-reader.js';
import type { ColumnValue } from '../form/summary-columns.js';
import { durationClass } from '../model/profile-totals.js';
import type { Condition } from './prepare-query.js';
import { ScaledNumbers } from './scaled-numbers.js';

type Asked = Pick<Condition, 'test' | 'passes'>;
type RowTest = (row: number) => boolean;

/** Values by their places; an array is one. */
export interface ValueList {
  readonly length: number;
  at(place: number): ColumnValue | undefined;
}

/** A list that tests its own values. */
interface TestedList extends ValueList {
  verdicts(asked: Asked): Uint8Array;
}

/** The values of a column, row by row: each row has one of its own or, with codes, the one of its code. */
export class Column {
  readonly values: ValueList;
  readonly codes: ArrayLike<number> | undefined;

  constructor(values: ValueList, codes?: ArrayLike<number>) {
    this.values = values;
    this.codes = codes;
  }

  at(row: number): ColumnValue {
    return this.values.at(this.codes === undefined ? row : (this.codes[row] ?? -1)) ?? null;
  }

  /** Which rows have a value that passes. */
  passing(asked: Asked): RowTest {
    const { values, codes } = this;
    if (codes === undefined && values instanceof ScaledNumbers && asked.test.kind === 'numbers')
      return values.within(asked.test.ranges);
    if (codes === undefined && !isTested(values)) return (row) => asked.passes(values.at(row) ?? null);
    const verdicts = verdictsOf(values, asked);
    if (codes === undefined) return (row) => verdicts[row] === 1;
    return (row) => verdicts[codes[row] ?? -1] === 1;
  }

  /** Each as a number. */
  numbers(count: number): Float64Array {
    if (this.values instanceof ScaledNumbers && this.codes === undefined) return this.values.all();
    const { values, codes } = this;
    const own = Float64Array.from({ length: values.length }, (_, place) => Number(values.at(place) ?? 0));
    if (codes === undefined && own.length >= count) return own;
    const numbers = new Float64Array(count);
    if (codes !== undefined) for (let row = 0; row < count; row++) numbers[row] = own[codes[row] ?? -1] ?? 0;
    return numbers;
  }

  /** The same with a code for each row. */
  coded(count: number): { readonly codes: ArrayLike<number>; readonly values: ValueList } {
    if (this.codes !== undefined) return { codes: this.codes, values: this.values };
    const places = new Map<ColumnValue, number>();
    const codes = new Uint32Array(count);
    for (let row = 0; row < count; row++) {
      const value = this.at(row);
      let place = places.get(value);
      if (place === undefined) places.set(value, (place = places.size));
      codes[row] = place;
    }
    return { codes, values: [...places.keys()] };
  }
}

/** Targets with their origins, of which there are few. */
class UrlColumn extends Column {
  readonly #origins: Column;
  readonly #targets: Column;

  constructor(origins: Column, targets: Column) {
    super([]);
    this.#origins = origins;
    this.#targets = targets;
  }

  override at(row: number): ColumnValue {
    return urlOf(String(this.#origins.at(row) ?? ''), String(this.#targets.at(row) ?? ''));
  }

  override passing(asked: Asked): RowTest {
    const { values, codes } = this.#targets;
    const { values: origins, codes: originOf } = this.#origins;
    if (originOf === undefined) return (row) => asked.passes(this.at(row));
    const verdicts = Array.from({ length: origins.length }, (_, place) => {
      const origin = String(origins.at(place) ?? '');
      return new DerivedTexts(values, (target) => urlOf(origin, target), origin).verdicts(asked);
    });
    return (row) => verdicts[originOf[row] ?? -1]?.[codes === undefined ? row : (codes[row] ?? -1)] === 1;
  }
}

/** Columns that follow from others, by the names of those. */
export const derivedFrom: ReadonlyMap<string, readonly string[]> = new Map([
  ['durationClass', ['durationMs']],
  ['path', ['target']],
  ['url', ['target', 'origin']],
]);

/** Such a column; undefined where it is none. */
export function derivedColumn(name: string, columnOf: (name: string) => Column): Column | undefined {
  const [first, second] = derivedFrom.get(name) ?? [];
  if (first === undefined) return undefined;
  const from = columnOf(first);
  if (second !== undefined) return new UrlColumn(columnOf(second), from);
  if (name === 'path') return new Column(new DerivedTexts(from.values, pathOf), from.codes);
  const classes = Array.from({ length: from.values.length }, (_, place) =>
    durationClass(Number(from.values.at(place) ?? 0)),
  );
  return new Column(classes, from.codes);
}

/** The texts of a list in one, and how long each is. */
export interface JoinedTexts {
  readonly text: string;
  readonly lengths: ArrayLike<number>;
  /** What is to be added to each length. */
  readonly base: number;
  /** The first of them stands for null. */
  readonly hasNull: boolean;
}

/** Different texts. */
export class TextList implements TestedList {
  readonly length: number;
  readonly #joined: JoinedTexts;
  #ends: Uint32Array | undefined;

  constructor(joined: JoinedTexts) {
    this.length = joined.lengths.length;
    this.#joined = joined;
  }

  at(place: number): ColumnValue | undefined {
    if (place === 0 && this.#joined.hasNull) return null;
    return this.#joined.text.slice(this.#startOf(place), this.#endOf(place));
  }

  /** Looks for texts in all of them at one go: without regard to case their places stay the same but for two letters. */
  verdicts(asked: Asked): Uint8Array {
    const { test } = asked;
    const { text: all } = this.#joined;
    if (!('texts' in test) || test.texts.includes('') || all.includes('\u0130') || all.includes('\u03a3'))
      return verdictsOf(this, asked, { isPlain: true });
    const lower = all.toLowerCase();
    const verdicts = new Uint8Array(this.length);
    for (const text of test.texts) this.#find(text.toLowerCase(), lower, { kind: test.kind, verdicts });
    return verdicts;
  }

  #find(
    wanted: string,
    lower: string,
    { kind, verdicts }: { readonly kind: string; readonly verdicts: Uint8Array },
  ): void {
    for (let at = lower.indexOf(wanted); at !== -1;) {
      const place = this.#placeOf(at);
      const [start, end] = [this.#startOf(place), this.#endOf(place)];
      const isWithin = at + wanted.length <= end;
      const isFound =
        isWithin &&
        (kind === 'contains' || (at === start && (kind === 'starts' || at + wanted.length === end)));
      if (isFound) verdicts[place] = 1;
      at = lower.indexOf(wanted, isFound ? end : at + 1);
    }
  }

  #startOf(place: number): number {
    return place === 0 ? 0 : this.#endOf(place - 1);
  }

  #endOf(place: number): number {
    return this.#allEnds()[place] ?? 0;
  }

  #allEnds(): Uint32Array {
    if (this.#ends === undefined) {
      const { lengths, base } = this.#joined;
      this.#ends = new Uint32Array(lengths.length);
      for (let place = 0, end = 0; place < lengths.length; place++)
        this.#ends[place] = end += base + (lengths[place] ?? 0);
    }
    return this.#ends;
  }

  /** The first text that ends behind a character. */
  #placeOf(character: number): number {
    const ends = this.#allEnds();
    let [low, high] = [0, this.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) > character) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** What is made of each of some texts: it holds a text that the given one holds, or one that begins in what is put before it. */
class DerivedTexts implements TestedList {
  readonly length: number;
  readonly #from: ValueList;
  readonly #derive: (text: string) => string;
  readonly #before: string;

  constructor(from: ValueList, derive: (text: string) => string, before = '') {
    this.length = from.length;
    this.#from = from;
    this.#derive = derive;
    this.#before = before.toLowerCase();
  }

  at(place: number): ColumnValue {
    return this.#derive(String(this.#from.at(place) ?? ''));
  }

  verdicts(asked: Asked): Uint8Array {
    const { test } = asked;
    if (
      test.kind === 'numbers' ||
      test.kind === 'missing' ||
      !test.texts.every((text) => this.#isWithin(text.toLowerCase()))
    )
      return verdictsOf(this, asked, { isPlain: true });
    const wide: Asked = {
      test: { kind: 'contains', texts: test.texts },
      passes: (value) => test.texts.some((text) => String(value).toLowerCase().includes(text.toLowerCase())),
    };
    const verdicts = verdictsOf(this.#from, wide);
    for (let place = verdicts.indexOf(1); place !== -1; place = verdicts.indexOf(1, place + 1))
      if (!asked.passes(this.at(place))) verdicts[place] = 0;
    return verdicts;
  }

  /** Whether what is derived can hold a text only where the given one does. */
  #isWithin(text: string): boolean {
    if (text.length < 2 || this.#before.includes(text)) return false; // a path may be "/" alone
    for (let length = 1; length < text.length; length++)
      if (this.#before.endsWith(text.slice(0, length))) return false;
    return true;
  }
}

function verdictsOf(values: ValueList, asked: Asked, { isPlain = false } = {}): Uint8Array {
  if (!isPlain && isTested(values)) return values.verdicts(asked);
  const verdicts = new Uint8Array(values.length);
  for (let place = 0; place < values.length; place++)
    if (asked.passes(values.at(place) ?? null)) verdicts[place] = 1;
  return verdicts;
}

function isTested(values: ValueList): values is TestedList {
  return 'verdicts' in values;
}
