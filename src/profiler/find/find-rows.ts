import type { SegmentFacts } from '../model/segment-facts.js';
import type { StoredSummary } from '../model/profile-store.js';
import type { ColumnValue } from '../form/summary-columns.js';
import { summaryOf, SummaryReader } from '../form/summary-reader.js';
import { classColumn, Column } from './column.js';
import { onlyValue } from './only-value.js';
import { type Condition, mayMatch, mustMatch, prepareQuery } from './prepare-query.js';

/** Rows by their columns, of which `durationClass` is one. */
export interface RowColumns {
  key(row: number): number;
  column(name: string): Column;
  /** Summaries of rows, without those that are gone by now. */
  rows(rows: Iterable<number>): readonly StoredSummary[];
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
  readonly indexes: Uint32Array;
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
      const rows = 'directory' in data ? new SegmentColumns(data, segment.facts) : data;
      return { rows, indexes: matching(rows, conditions, segment) };
    },
  };
}

/** Rows that meet all conditions, newest first: each condition looks at those that met the ones before. */
function matching(
  rows: RowColumns,
  conditions: readonly Condition[],
  { from, to }: Pick<SegmentRows, 'from' | 'to'>,
): Uint32Array {
  const indexes: Uint32Array = new Uint32Array(Math.max(0, to - from));
  for (let place = 0; place < indexes.length; place++) indexes[place] = to - 1 - place;
  return conditions.reduce<Uint32Array>((found, condition) => kept(found, rows, condition), indexes);
}

/** Those of some rows that meet a condition, in their place. */
function kept(indexes: Uint32Array, rows: RowColumns, condition: Condition): Uint32Array {
  if (indexes.length === 0) return indexes;
  const passes = rowTest(rows, condition);
  let count = 0;
  for (const index of indexes) if (passes(index)) indexes[count++] = index;
  return indexes.subarray(0, count);
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
    return name === 'durationClass'
      ? classColumn(this.column('durationMs'))
      : new Column(this.reader.column(name));
  }

  rows(rows: Iterable<number>): readonly StoredSummary[] {
    return Array.from(rows, (row) => this.row(row));
  }

  /** A row, of which some values are known. */
  row(row: number, known?: (name: string) => ColumnValue | undefined): StoredSummary {
    const valueOf = (name: string): ColumnValue => {
      const value = known === undefined ? onlyValue(this.#facts, name) : known(name);
      return value === undefined ? (this.reader.column(name)[row] ?? null) : value;
    };
    const collected: Record<string, number> = {};
    for (const name of this.reader.collectedNames) collected[name] = Number(valueOf(name) ?? 0);
    return summaryOf(valueOf, { key: this.key(row), bucket: this.reader.bucket, collected });
  }
}
