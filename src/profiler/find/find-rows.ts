import type { SegmentFacts } from '../model/segment-facts.js';
import type { StoredSummary } from '../model/profile-store.js';
import type { ColumnValue } from '../form/summary-columns.js';
import { SummaryReader } from '../form/summary-reader.js';
import { Column, derivedColumn } from './column.js';
import { onlyValue } from './only-value.js';
import { type Condition, mayMatch, mustMatch, prepareQuery } from './prepare-query.js';

/** Rows by their columns, of which `durationClass` is one. */
export interface RowColumns {
  key(row: number): number;
  column(name: string): Column;
  /** Summaries of rows, without those that are gone by now. */
  rows(rows: Iterable<number>): readonly StoredSummary[] | Promise<readonly StoredSummary[]>;
}

/** The keys and the summaries of a segment. */
export interface SegmentData {
  readonly keys: readonly number[];
  readonly directory: Uint8Array;
}

/** Rows of a segment, or of many in one, that may be searched: those with `from` ≤ index < `to` are there. */
export interface SegmentRows {
  readonly startedAt: number;
  readonly closedAt: number;
  readonly facts: SegmentFacts;
  readonly from: number;
  readonly to: number;
  /** Where it is known: no row has a greater one. */
  readonly greatestKey?: number;
  /** Where the rest is elsewhere: brings what these conditions and columns need of it, before it is read. */
  readonly load?: (conditions: readonly Condition[], columns: readonly string[]) => Promise<void>;
  /** Reads the rest, once it is known that it is needed; undefined where it is gone by now. */
  read(): SegmentData | RowColumns | undefined;
  /** Where it can be: whether it is known that no row meets the conditions, beyond what the facts say. */
  excludes?(conditions: readonly Condition[]): boolean;
}

/** The rows of a segment that a search found, newest first; the indexes are there until the next segment is looked at. */
export interface FoundRows {
  readonly rows: RowColumns;
  readonly indexes: Uint32Array;
}

export type AnySegments = Iterable<SegmentRows> | AsyncIterable<SegmentRows>;

interface AheadOptions {
  /** Columns that are needed beside those of the conditions. */
  readonly columns?: readonly string[];
  /** Segments that are brought together at first. */
  readonly window?: number;
  /** Those of which nothing is read. */
  readonly isUnread?: (segment: SegmentRows) => boolean;
}

/** Rows of a segment that are read value by value: of more, whole columns are. */
const maxFew = 3;
/** Segments that are brought together at most. */
const maxWindow = 32;

/** A search as it is applied to one segment. */
interface Finding {
  /** The segments that may have rows, each once it can be read: of those that are elsewhere, more at a time each time. */
  readonly ahead: (segments: AnySegments, options?: AheadOptions) => AsyncIterable<SegmentRows>;
  /** The rows that meet the conditions; undefined where it cannot have any, or is gone. */
  readonly find: (segment: SegmentRows) => FoundRows | undefined;
  /** Whether all of its rows meet them, as far as its facts show: it need not be read for that. */
  readonly isWhole: (segment: SegmentRows) => boolean;
}

export function prepareFinding(asked: Parameters<typeof prepareQuery>[0]): Finding {
  const conditions = prepareQuery(asked);
  let room = new Uint32Array(0);
  const factsOf = ({ facts, startedAt, closedAt }: SegmentRows): SegmentFacts => ({
    ...facts,
    // Rows keep microseconds; the times of a segment are finer.
    startedAt: { least: Math.floor(startedAt), greatest: Math.ceil(closedAt) },
  });
  const own = conditions.flatMap(({ columns }) => columns);
  return {
    async *ahead(segments, { columns = [], window = 1, isUnread = () => false } = {}) {
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
      if (room.length < to - from) room = new Uint32Array(to - from);
      return { rows, indexes: matching(rows, conditions, { from, to, room }) };
    },
  };
}

/** Rows that meet all conditions, newest first, put into `room`: each condition looks at those that met the ones before. */
function matching(
  rows: RowColumns,
  conditions: readonly Condition[],
  { from, to, room }: Pick<SegmentRows, 'from' | 'to'> & { readonly room: Uint32Array },
): Uint32Array {
  const [first, ...others] = conditions;
  const passes = first && rowTest(rows, first);
  let count = 0;
  for (let row = to - 1; row >= from; row--) if (passes === undefined || passes(row)) room[count++] = row;
  for (const condition of others) {
    if (count === 0) break;
    const test = rowTest(rows, condition);
    const before = count;
    count = 0;
    for (let place = 0; place < before; place++) {
      const row = room[place] ?? -1;
      if (test(row)) room[count++] = row;
    }
  }
  return room.subarray(0, count);
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

  /** `known`: values that need not be read. */
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
