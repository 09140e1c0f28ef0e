import type { SegmentFacts } from '../model/segment-facts.js';
import type { StoredSummary } from '../model/profile-store.js';
import type { ColumnValue } from '../form/summary-columns.js';
import { SummaryReader } from '../form/summary-reader.js';
import { Column, derivedColumn } from './column.js';
import { onlyValue } from './only-value.js';
import { type Condition, mayMatch, mustMatch, prepareQuery } from './prepare-query.js';

/** Access to rows by column, including `durationClass`. */
export interface RowColumns {
  key(row: number): number;
  column(name: string): Column;
  /** Returns the summaries of rows; rows that no longer exist are omitted. */
  rows(rows: Iterable<number>): readonly StoredSummary[] | Promise<readonly StoredSummary[]>;
}

/** The keys and the encoded summaries of a segment. */
export interface SegmentData {
  readonly keys: readonly number[];
  readonly directory: Uint8Array;
}

/** Searchable rows of a segment or a block: those with `from` ≤ index < `to`. */
export interface SegmentRows {
  readonly startedAt: number;
  readonly closedAt: number;
  readonly facts: SegmentFacts;
  readonly from: number;
  readonly to: number;
  /** Greatest key of the rows, if known. */
  readonly greatestKey?: number;
  /** For remote stores: fetches the data that these conditions and columns need, before it is read. */
  readonly load?: (conditions: readonly Condition[], columns: readonly string[]) => Promise<void>;
  /** Reads the rows; undefined if they no longer exist. */
  read(): SegmentData | RowColumns | undefined;
  /** Returns true if it is certain, by more than the facts, that no row meets the conditions. */
  excludes?(conditions: readonly Condition[]): boolean;
}

/** The matching rows of a segment, newest first. `indexes` is only valid until the next segment is searched. */
export interface FoundRows {
  readonly rows: RowColumns;
  readonly indexes: Uint32Array;
}

export type AnySegments = Iterable<SegmentRows> | AsyncIterable<SegmentRows>;

interface PrefetchOptions {
  /** Columns that are needed in addition to those of the conditions. */
  readonly columns?: readonly string[];
  /** Number of segments that are fetched together at first. */
  readonly window?: number;
  /** Returns true for segments that need not be fetched. */
  readonly isUnread?: (segment: SegmentRows) => boolean;
}

/** Up to this many rows of a segment are read value by value; for more, whole columns are read. */
const maxFew = 3;
/** Maximum number of segments that are fetched together. */
const maxWindow = 32;

/** A prepared search, to be applied to one segment after the other. */
interface PreparedSearch {
  /**
   * Yields the segments that may contain matching rows, each once it can be read. Remote segments are fetched in batches
   * of increasing size.
   */
  readonly prefetch: (segments: AnySegments, options?: PrefetchOptions) => AsyncIterable<SegmentRows>;
  /** Returns the matching rows; undefined if the segment cannot have any or no longer exists. */
  readonly find: (segment: SegmentRows) => FoundRows | undefined;
  /** Returns true if the facts show that all rows match, so that the segment need not be read. */
  readonly isWhole: (segment: SegmentRows) => boolean;
}

export function prepareSearch(search: Parameters<typeof prepareQuery>[0]): PreparedSearch {
  const conditions = prepareQuery(search);
  let buffer = new Uint32Array(0);
  const factsOf = ({ facts, startedAt, closedAt }: SegmentRows): SegmentFacts => ({
    ...facts,
    // Rows are rounded to microseconds; the times of a segment are more precise.
    startedAt: { least: Math.floor(startedAt), greatest: Math.ceil(closedAt) },
  });
  const own = conditions.flatMap(({ columns }) => columns);
  return {
    async *prefetch(segments, { columns = [], window = 1, isUnread = () => false } = {}) {
      let [waiting, size]: [SegmentRows[], number] = [[], window];
      const load = async (): Promise<SegmentRows[]> => {
        const loaded = waiting;
        waiting = [];
        size = Math.min(maxWindow, size * 2);
        await Promise.all(loaded.map(async (one) => one.load?.(conditions, [...own, ...columns])));
        return loaded;
      };
      for await (const segment of segments) {
        if (!mayMatch(conditions, factsOf(segment))) continue;
        if (segment.load === undefined || isUnread(segment)) {
          if (waiting.length > 0) yield* await load();
          yield segment;
        } else if (waiting.push(segment) >= size) yield* await load();
      }
      yield* await load();
    },
    isWhole: (segment) => mustMatch(conditions, factsOf(segment)),
    find(segment) {
      if (!mayMatch(conditions, factsOf(segment)) || segment.excludes?.(conditions) === true)
        return undefined;
      const data = segment.read();
      if (data === undefined) return undefined;
      const rows = 'directory' in data ? new SegmentColumns(data, segment.facts) : data;
      const { from, to } = segment;
      if (buffer.length < to - from) buffer = new Uint32Array(to - from);
      return { rows, indexes: matching(rows, conditions, { from, to, buffer }) };
    },
  };
}

/** Writes the rows that meet all conditions to `buffer`, newest first. Each condition filters the rows left by the previous one. */
function matching(
  rows: RowColumns,
  conditions: readonly Condition[],
  { from, to, buffer }: Pick<SegmentRows, 'from' | 'to'> & { readonly buffer: Uint32Array },
): Uint32Array {
  const [first, ...others] = conditions;
  const passes = first && rowTest(rows, first);
  let count = 0;
  for (let row = to - 1; row >= from; row--) if (passes === undefined || passes(row)) buffer[count++] = row;
  for (const condition of others) {
    if (count === 0) break;
    const test = rowTest(rows, condition);
    const before = count;
    count = 0;
    for (let place = 0; place < before; place++) {
      const row = buffer[place] ?? -1;
      if (test(row)) buffer[count++] = row;
    }
  }
  return buffer.subarray(0, count);
}

function rowTest(rows: RowColumns, condition: Condition): (row: number) => boolean {
  const { columns, isNegated, fails } = condition;
  const tests = columns.map((name) => rows.column(name).passing(condition));
  const [first = (): boolean => false] = tests;
  if (tests.length === 1 && fails === undefined) return isNegated ? (row) => !first(row) : first;
  return (row) => (fails?.has(rows.key(row)) !== true && tests.some((passes) => passes(row))) !== isNegated;
}

export class SegmentColumns implements RowColumns {
  readonly count: number;
  readonly reader: SummaryReader;
  readonly #keys: readonly number[];
  readonly #facts: SegmentFacts;

  constructor({ keys, directory }: SegmentData, facts: SegmentFacts = {}) {
    this.reader = new SummaryReader(directory);
    this.count = this.reader.count;
    this.#keys = keys;
    this.#facts = facts;
  }

  key(row: number): number {
    return this.#keys[row] ?? -1;
  }

  column(name: string): Column {
    return derivedColumn(name, (other) => this.column(other)) ?? new Column(this.reader.column(name));
  }

  /** Returns the summaries of rows; `known` returns values that need not be read. */
  rows(
    rows: Iterable<number>,
    known: (name: string, row: number) => ColumnValue | undefined = (name) => onlyValue(this.#facts, name),
  ): readonly StoredSummary[] {
    const all = [...rows];
    const isFew = all.length <= maxFew;
    return all.map((row) => {
      const valueOf = (name: string): ColumnValue => {
        const value = known(name, row);
        if (value !== undefined) return value;
        return isFew ? this.reader.cell(name, row) : (this.reader.column(name)[row] ?? null);
      };
      return this.reader.row(row, this.key(row), valueOf);
    });
  }
}
