import type { SegmentFacts } from '../model/segment-facts.js';
import { SummaryReader } from '../form/summary-reader.js';
import { type Condition, mayMatch, mustMatch, prepareQuery } from './prepare-query.js';

/** A segment that may be searched: the rows with `from` ≤ index < `to` are there. */
export interface SegmentRows {
  readonly startedAt: number;
  readonly closedAt: number;
  readonly facts: SegmentFacts;
  readonly from: number;
  readonly to: number;
  /** Reads the rest, once it is known that it is needed; undefined where it is gone by now. */
  read(): { readonly keys: readonly number[]; readonly directory: Uint8Array } | undefined;
}

/** The rows of a segment that a search found, newest first. */
export interface FoundRows {
  readonly reader: SummaryReader;
  readonly keys: readonly number[];
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
      if (!mayMatch(conditions, factsOf(segment))) return undefined;
      const data = segment.read();
      if (data === undefined) return undefined;
      const { keys, directory } = data;
      const reader = new SummaryReader(directory);
      return { reader, keys, indexes: matching(reader, conditions, { ...segment, keys }) };
    },
  };
}

/** Rows that meet all conditions, newest first: each condition looks at those that met the ones before. */
function matching(
  reader: SummaryReader,
  conditions: readonly Condition[],
  { from, to, keys }: Pick<SegmentRows, 'from' | 'to'> & { readonly keys: readonly number[] },
): readonly number[] {
  let indexes: number[] = [];
  for (let index = Math.min(to, reader.count) - 1; index >= from; index--) indexes.push(index);
  for (const { columns, passes, isNegated, fails } of conditions) {
    if (indexes.length === 0) break;
    const read = columns.map((name) => reader.column(name));
    indexes = indexes.filter((index) => {
      const passed =
        fails?.has(keys[index] ?? -1) !== true && read.some((column) => passes(column[index] ?? null));
      return passed !== isNegated;
    });
  }
  return indexes;
}
