/** What is known about one column of a segment's rows: its values, or their range. */
export type ColumnFact =
  | { readonly values: readonly (string | number | null)[] }
  | { readonly least: number; readonly greatest: number };

/**
 * What is known about the rows of a segment, by the names of their columns, so that a search can skip it. Plain JSON
 * data; a column that is missing may hold anything.
 */
export type SegmentFacts = Readonly<Record<string, ColumnFact>>;
