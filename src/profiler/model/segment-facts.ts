/** Facts about one column of a segment: its distinct values, or their range. */
export type ColumnFact =
  | { readonly values: readonly (string | number | null)[] }
  | { readonly least: number; readonly greatest: number };

/**
 * Facts about the rows of a segment by column name, which allow a search to skip the segment. Plain JSON data; nothing
 * is known about a column that is missing.
 */
export type SegmentFacts = Readonly<Record<string, ColumnFact>>;
