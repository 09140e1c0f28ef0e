import { pathOf, urlOf } from '../form/summary-reader.js';
import type { ColumnValue } from '../form/summary-columns.js';
import { durationClass } from '../model/profile-totals.js';
import type { Condition } from './prepare-query.js';
import { ScaledNumbers } from './scaled-numbers.js';

type ValueCondition = Pick<Condition, 'test' | 'passes'>;
type RowTest = (row: number) => boolean;

/** Values by index; an array is a `ValueList`. */
export interface ValueList {
  readonly length: number;
  at(place: number): ColumnValue | undefined;
}

/** A list with its own, faster way to test its values. */
interface TestedList extends ValueList {
  verdicts(condition: ValueCondition): Uint8Array;
}

/** Values of a column: with codes, a row has the value of its code; without, the value at the row's own index. */
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

  /** Returns a function that tests the value of a row. */
  passing(condition: ValueCondition): RowTest {
    const { values, codes } = this;
    if (codes === undefined && values instanceof ScaledNumbers && condition.test.kind === 'numbers')
      return values.within(condition.test.ranges);
    if (codes === undefined && !isTested(values)) return (row) => condition.passes(values.at(row) ?? null);
    const verdicts = verdictsOf(values, condition);
    if (codes === undefined) return (row) => verdicts[row] === 1;
    return (row) => verdicts[codes[row] ?? -1] === 1;
  }

  /** Returns the values of all rows as numbers. */
  numbers(count: number): Float64Array {
    if (this.values instanceof ScaledNumbers && this.codes === undefined) return this.values.all();
    const { values, codes } = this;
    const own = Float64Array.from({ length: values.length }, (_, place) => Number(values.at(place) ?? 0));
    if (codes === undefined && own.length >= count) return own;
    const numbers = new Float64Array(count);
    if (codes !== undefined) for (let row = 0; row < count; row++) numbers[row] = own[codes[row] ?? -1] ?? 0;
    return numbers;
  }

  /** Returns the column as a dictionary with a code for each row. */
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

/** URLs, computed from the targets and the (few) origins. */
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

  override passing(condition: ValueCondition): RowTest {
    const { values, codes } = this.#targets;
    const { values: origins, codes: originOf } = this.#origins;
    if (originOf === undefined) return (row) => condition.passes(this.at(row));
    const verdicts = Array.from({ length: origins.length }, (_, place) => {
      const origin = String(origins.at(place) ?? '');
      return new DerivedTexts(values, (target) => urlOf(origin, target), origin).verdicts(condition);
    });
    return (row) => verdicts[originOf[row] ?? -1]?.[codes === undefined ? row : (codes[row] ?? -1)] === 1;
  }
}

/** Columns computed from other columns: name → source columns. */
export const derivedFrom: ReadonlyMap<string, readonly string[]> = new Map([
  ['durationClass', ['durationMs']],
  ['path', ['target']],
  ['url', ['target', 'origin']],
]);

/** Returns a derived column; undefined if the name is not one of `derivedFrom`. */
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

/** Concatenated texts with the length of each. */
export interface JoinedTexts {
  readonly text: string;
  readonly lengths: ArrayLike<number>;
  /** Number to add to each length. */
  readonly base: number;
  /** The first text stands for null. */
  readonly hasNull: boolean;
}

/** A list of distinct texts that is searched as one text. */
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

  /**
   * Searches all texts at once, in their concatenation. Lowercasing keeps the offsets, except for İ, which becomes longer.
   * Σ is excluded too, because its lowercase form depends on what follows it; such texts are tested one by one.
   */
  verdicts(condition: ValueCondition): Uint8Array {
    const { test } = condition;
    const { text: all } = this.#joined;
    if (!('texts' in test) || test.texts.includes('') || all.includes('\u0130') || all.includes('\u03a3'))
      return verdictsOf(this, condition, { isPlain: true });
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

  /** Returns the index of the text that contains a character offset, by binary search. */
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

/** Texts derived from the texts of another list. A derived text consists of `before` and (part of) the source text. */
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

  verdicts(condition: ValueCondition): Uint8Array {
    const { test } = condition;
    if (
      test.kind === 'numbers' ||
      test.kind === 'missing' ||
      !test.texts.every((text) => this.#isWithin(text.toLowerCase()))
    )
      return verdictsOf(this, condition, { isPlain: true });
    const wide: ValueCondition = {
      test: { kind: 'contains', texts: test.texts },
      passes: (value) => test.texts.some((text) => String(value).toLowerCase().includes(text.toLowerCase())),
    };
    const verdicts = verdictsOf(this.#from, wide);
    for (let place = verdicts.indexOf(1); place !== -1; place = verdicts.indexOf(1, place + 1))
      if (!condition.passes(this.at(place))) verdicts[place] = 0;
    return verdicts;
  }

  /** Returns whether a derived text can contain `text` only if its source text contains it. */
  #isWithin(text: string): boolean {
    if (text.length < 2 || this.#before.includes(text)) return false; // a path may be just "/"
    for (let length = 1; length < text.length; length++)
      if (this.#before.endsWith(text.slice(0, length))) return false;
    return true;
  }
}

function verdictsOf(values: ValueList, condition: ValueCondition, { isPlain = false } = {}): Uint8Array {
  if (!isPlain && isTested(values)) return values.verdicts(condition);
  const verdicts = new Uint8Array(values.length);
  for (let place = 0; place < values.length; place++)
    if (condition.passes(values.at(place) ?? null)) verdicts[place] = 1;
  return verdicts;
}

function isTested(values: ValueList): values is TestedList {
  return 'verdicts' in values;
}
