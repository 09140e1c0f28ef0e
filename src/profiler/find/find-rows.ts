import type { SegmentFacts } from '../model/segment-facts.js';
import type { StoredSummary } from '../model/profile-store.js';
import type { ColumnValue } from '../form/summary-columns.js';
import { summaryOf, SummaryReader } from '../form/summary-reader.js';
import { Column } from './column.js';
import { type Condition, mayMatch, mustMatch, prepareQuery } from './prepare-query.js';

/** Rows by their columns. */
export interface RowColumns {
  key(row: number): number;
  column(name: string): Column;
  /** Summaries of rows, without those that are gone by now. */
  rows(rows: readonly number[]): readonly StoredSummary[];
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
  /** Reads the rest, once it is known that it is needed; undefined where it is gone by now. */
  read(): SegmentData | RowColumns | undefined;
  /** Where it can be: whether it is known that no row meets the conditions, beyond what the facts say. */
  excludes?(conditions: readonly Condition[]): boolean;
}

/** The rows of a segment that a search found, newest first. */
export interface FoundRows {
  readonly rows: RowColumns;
  readonly indexes: readonly number[];
}

/** A search as it is applied to one segment. */
interface Finding {
  /** The rows that meet the conditions; undefined where it cannot have any, or is gone. */
  readonly find: (segment: SegmentRows) => FoundRows | undefined;
  /** Whether all of its rows meet them, as far as its facts show: it need not be read for that. */
  readonly isWhole: (segment: SegmentRows) => boolean;
}

export function prepareFinding(asked: Parameters<typeof prepareQuery>[0]): Finding {
  const conditions = prepareQuery(asked);
  const factsOf = ({ facts, startedAt, closedAt }: SegmentRows): SegmentFacts => ({
    ...facts,
    // Rows keep microseconds; the times of a segment are finer.
    startedAt: { least: Math.floor(startedAt), greatest: Math.ceil(closedAt) },
  });
  return {
    isWhole: (segment) => mustMatch(conditions, factsOf(segment)),
    find(segment) {
      if (!mayMatch(conditions, factsOf(segment)) || segment.excludes?.(conditions) === true)
        return undefined;
      const data = segment.read();
      if (data === undefined) return undefined;
      const rows = 'directory' in data ? new SegmentColumns(data) : data;
      return { rows, indexes: matching(rows, conditions, segment) };
    },
  };
}

/** Rows that meet all conditions, newest first: each condition looks at those that met the ones before. */
function matching(
  rows: RowColumns,
  conditions: readonly Condition[],
  { from, to }: Pick<SegmentRows, 'from' | 'to'>,
): readonly number[] {
  const indexes: number[] = [];
  const [first, ...others] = conditions;
  const passes = first && rowTest(rows, first);
  for (let index = to - 1; index >= from; index--)
    if (passes === undefined || passes(index)) indexes.push(index);
  return others.reduce(
    (found, condition) => (found.length === 0 ? found : found.filter(rowTest(rows, condition))),
    indexes,
  );
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

  constructor({ keys, directory }: SegmentData) {
    this.reader = new SummaryReader(directory);
    this.count = this.reader.count;
    this.#keys = keys;
  }

  key(row: number): number {
    return this.#keys[row] ?? -1;
  }

  column(name: string): Column {
    return new Column(this.reader.column(name));
  }

  rows(rows: readonly number[]): readonly StoredSummary[] {
    return rows.map((row) => this.row(row));
  }

  /** A row, of which some values are known. */
  row(row: number, known: (name: string) => ColumnValue | undefined = () => undefined): StoredSummary {
    const valueOf = (name: string): ColumnValue => {
      const value = known(name);
      return value === undefined ? (this.reader.column(name)[row] ?? null) : value;
    };
    const collected: Record<string, number> = {};
    for (const name of this.reader.collectedNames) collected[name] = Number(valueOf(name) ?? 0);
    return summaryOf(valueOf, { key: this.key(row), bucket: this.reader.bucket, collected });
  }
}
