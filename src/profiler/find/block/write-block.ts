import { crc32, deflateRawSync } from 'node:zlib';
import { baseColumns, type ColumnValue } from '../../form/summary-columns.js';
import type { ColumnFact, SegmentFacts } from '../../model/segment-facts.js';
import type { RowColumns } from '../find-rows.js';
import { onlyValue } from '../only-value.js';
import {
  type BlockHead,
  eachGram,
  numbersOfWidth,
  searchedColumns,
  type StoredColumn,
  type StoredNumbers,
} from './block-form.js';

/** Input of a block: the rows of a segment or of a smaller block. */
export interface BlockPart {
  readonly count: number;
  readonly startedAt: number;
  readonly closedAt: number;
  /** Ids of its segments, with the number of rows of each. */
  readonly segments: readonly (readonly [id: number, rows: number])[];
  readonly facts: SegmentFacts;
  readonly names: readonly string[];
  readonly rows: Pick<RowColumns, 'key' | 'column'>;
}

export interface WrittenBlock {
  readonly head: BlockHead;
  /** Chunks in their stored form: deflated if that makes them sufficiently smaller. */
  readonly chunks: readonly Uint8Array[];
}

const kinds: ReadonlyMap<string, string> = new Map(baseColumns.map(({ name, kind }) => [name, kind]));
/** Columns that no query uses; they are read from the segments. */
const omittedColumns: ReadonlySet<string> = new Set([
  'sequence',
  'appMs',
  'httpMs',
  'renderingMs',
  'databaseMs',
]);
const compression = { level: 1, memLevel: 9 };
/** A chunk that deflates to more than this share of its size is stored uncompressed, since inflating takes time. */
const maxDeflatedShare = 0.7;
/** Bytes of the gram filter per row. */
const gramBytes = 4;
/** Characters on each side of the seam between origin and target: five for the 6-grams; the sixth may be half a surrogate pair. */
const seamLength = 6;
/** Maximum number of distinct values that are stored in the head. */
const maxFewValues = 100;

/** Combines rows, oldest first, into a block that is stored by column. Each column can be read on its own. */
export function writeBlock(parts: readonly BlockPart[]): WrittenBlock {
  return new BlockWriter(parts).write();
}

class BlockWriter {
  readonly #parts: readonly BlockPart[];
  readonly #count: number;
  readonly #chunks: Uint8Array[] = [];
  readonly #sizes: number[] = [];
  readonly #sums: number[] = [];
  readonly #grams: Uint8Array;

  constructor(parts: readonly BlockPart[]) {
    this.#parts = parts;
    this.#count = parts.reduce((sum, { count }) => sum + count, 0);
    this.#grams = new Uint8Array(
      2 ** Math.min(17, Math.max(7, Math.ceil(Math.log2(this.#count * gramBytes)))),
    );
  }

  write(): WrittenBlock {
    const columns: Record<string, StoredColumn> = {};
    const facts: Record<string, ColumnFact> = {};
    for (const name of new Set(this.#parts.flatMap((part) => part.names))) {
      if (omittedColumns.has(name)) continue;
      const found = this.#column(name);
      if (found === undefined) continue;
      columns[name] = found.stored;
      if (found.fact !== undefined) facts[name] = found.fact;
    }
    this.#markUrls();
    const ownKeys = this.#gather(({ rows }, row) => rows.key(row));
    const [, greatestKey] = rangeOf(ownKeys);
    const keys = this.#numbers(ownKeys);
    const segments = this.#parts.flatMap((part) => part.segments);
    const ids = this.#numbers(Float64Array.from(segments, ([id]) => id));
    const counts = this.#numbers(Float64Array.from(segments, ([, rows]) => rows));
    const grams = this.#add(this.#grams);
    const startedAt = Math.min(...this.#parts.map((part) => part.startedAt));
    const closedAt = Math.max(...this.#parts.map((part) => part.closedAt));
    const head = {
      rows: this.#count,
      startedAt,
      closedAt,
      facts,
      columns,
      keys,
      greatestKey,
      segments: { ids, counts },
    };
    return { head: { ...head, grams, sizes: this.#sizes, sums: this.#sums }, chunks: this.#chunks };
  }

  #column(name: string): { stored: StoredColumn; fact: ColumnFact | undefined } | undefined {
    const kind = kinds.get(name);
    const isText = kind === 'word' || kind === 'text' || kind === 'same';
    const numbers = isText ? undefined : this.#manyNumbers(name);
    if (numbers !== undefined) return this.#scaled(kind, numbers);
    const { codes, values } = this.#distinct(name);
    if (values.length <= maxFewValues) {
      if (isText && searchedColumns.has(name)) for (const value of values) this.#mark(String(value ?? ''));
      const stored: StoredColumn = {
        kind: 'values',
        values,
        ...(values.length === 1 ? {} : { codes: this.#numbers(codes) }),
      };
      return { stored, fact: { values } };
    }
    return isText ? this.#texts(name, values, codes) : undefined;
  }

  /** Returns the distinct values of a column, and the code of each row. */
  #distinct(name: string): { codes: Uint32Array; values: ColumnValue[] } {
    const known = new Map<ColumnValue, number>();
    const codes = new Uint32Array(this.#count);
    const codeOf = (value: ColumnValue): number => {
      let code = known.get(value);
      if (code === undefined) known.set(value, (code = known.size));
      return code;
    };
    let start = 0;
    for (const part of this.#parts) {
      const only = onlyValue(part.facts, name);
      if (only !== undefined) codes.fill(codeOf(only), start, start + part.count);
      else copyCodes(part, name, { codes: codes.subarray(start, start + part.count), codeOf });
      start += part.count;
    }
    return { codes, values: [...known.keys()] };
  }

  /** Returns the numbers of a column; undefined if there are few distinct ones, or a value is not a number. */
  #manyNumbers(name: string): Float64Array | undefined {
    const different = new Set<number>();
    const numbers = new Float64Array(this.#count);
    let at = 0;
    for (const part of this.#parts) {
      const only = onlyValue(part.facts, name);
      const column = only === undefined ? part.rows.column(name) : undefined;
      for (let row = 0; row < part.count; row++) {
        const value = column === undefined ? only : column.at(row);
        if (typeof value !== 'number') return undefined;
        if (different.size <= maxFewValues) different.add(value);
        numbers[at++] = value;
      }
    }
    return different.size > maxFewValues ? numbers : undefined;
  }

  #scaled(
    kind: string | undefined,
    numbers: Float64Array,
  ): { stored: StoredColumn; fact: ColumnFact } | undefined {
    const [least, greatest] = rangeOf(numbers);
    const scale = kind === 'time' ? 1000 : numbers.every((number) => Number.isInteger(number)) ? 1 : 10_000;
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at] ?? 0;
      const whole = Math.round(number * scale);
      if (whole / scale !== number || !Number.isSafeInteger(whole)) return undefined; // it would be read back as a different number
      numbers[at] = whole;
    }
    return { stored: { kind: 'numbers', numbers: this.#numbers(numbers), scale }, fact: { least, greatest } };
  }

  #texts(
    name: string,
    values: readonly ColumnValue[],
    codes: Uint32Array,
  ): { stored: StoredColumn; fact: undefined } | undefined {
    const nullAt = values.indexOf(null);
    const texts = values.map((value) => String(value ?? ''));
    const moved =
      nullAt > 0 ? codes.map((code) => (code === nullAt ? 0 : code < nullAt ? code + 1 : code)) : codes;
    if (nullAt > 0) texts.unshift(...texts.splice(nullAt, 1));
    const text = texts.join('');
    if (!text.isWellFormed()) return undefined; // a lone surrogate cannot be encoded as UTF-8
    if (searchedColumns.has(name)) this.#mark(text);
    const isOwn = texts.length === this.#count && moved.every((code, row) => code === row);
    const bytes = Buffer.from(text);
    const stored = {
      kind: 'texts',
      chunk: this.#add(bytes),
      encoding: bytes.length === text.length ? 'latin1' : 'utf8', // the same for ASCII, and faster
      lengths: this.#numbers(Float64Array.from(texts, ({ length }) => length)),
      hasNull: nullAt !== -1,
      ...(isOwn ? {} : { codes: this.#numbers(moved) }),
    } as const;
    return { stored, fact: undefined };
  }

  #mark(text: string): void {
    const grams = this.#grams;
    eachGram(Buffer.from(text.toLowerCase()), grams.length * 8, (bit) => {
      grams[bit >> 3] = (grams[bit >> 3] ?? 0) | (1 << (bit & 7));
    });
  }

  /** Marks the grams that span the seam between an origin and a target in a URL, which neither of them contains. */
  #markUrls(): void {
    for (const { rows, count } of this.#parts) {
      const [origins, targets] = [rows.column('origin').coded(count).values, rows.column('target').values];
      const heads = new Set<string>();
      for (let place = 0; place < targets.length; place++)
        heads.add(String(targets.at(place) ?? '').slice(0, seamLength));
      for (let place = 0; place < origins.length; place++) {
        const origin = String(origins.at(place) ?? '');
        this.#mark(origin);
        for (const head of heads) this.#mark(origin.slice(-seamLength) + head);
      }
    }
  }

  #gather(read: (part: BlockPart, row: number) => number): Float64Array {
    const numbers = new Float64Array(this.#count);
    let at = 0;
    for (const part of this.#parts)
      for (let row = 0; row < part.count; row++) numbers[at++] = read(part, row);
    return numbers;
  }

  #numbers(numbers: ArrayLike<number>): StoredNumbers {
    const [base, greatest] = rangeOf(numbers);
    const width = widthOf(greatest - base);
    const bytes = new Uint8Array(width * numbers.length);
    const narrow = new numbersOfWidth[width](bytes.buffer);
    for (let at = 0; at < numbers.length; at++) narrow[at] = (numbers[at] ?? 0) - base;
    return { chunk: this.#add(bytes), width, base };
  }

  #add(bytes: Uint8Array): number {
    this.#sizes.push(bytes.length);
    const deflated = deflateRawSync(bytes, { ...compression, chunkSize: Math.max(64, bytes.length) });
    const chunk = deflated.length < bytes.length * maxDeflatedShare ? deflated : bytes;
    this.#sums.push(crc32(chunk));
    return this.#chunks.push(chunk) - 1;
  }
}

/** Fills in the codes of a part. If the column has codes of its own, each distinct value is looked up only once. */
function copyCodes(
  part: BlockPart,
  name: string,
  { codes, codeOf }: { readonly codes: Uint32Array; readonly codeOf: (value: ColumnValue) => number },
): void {
  const column = part.rows.column(name);
  const own = new Map<number, number>();
  for (let row = 0; row < part.count; row++) {
    const given = column.codes?.[row];
    const code = (given === undefined ? undefined : own.get(given)) ?? codeOf(column.at(row));
    if (given !== undefined) own.set(given, code);
    codes[row] = code;
  }
}

function rangeOf(numbers: ArrayLike<number>): readonly [least: number, greatest: number] {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] ?? 0;
    if (number < least) least = number;
    if (number > greatest) greatest = number;
  }
  return numbers.length === 0 ? [0, 0] : [least, greatest];
}

function widthOf(greatest: number): StoredNumbers['width'] {
  if (greatest < 256) return 1;
  if (greatest < 65_536) return 2;
  return greatest < 2 ** 32 ? 4 : 8;
}
