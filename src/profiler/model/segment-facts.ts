/** What is known of one column of a segment's rows: which values there are, or between which they lie. */
export type ColumnFact =
  | { readonly values: readonly (string | number | null)[] }
  | { readonly least: number; readonly greatest: number };

/**
 * What is known of the rows of a segment by the names of their columns, so that a search can pass over it. Plain JSON
 * data; a column that is missing may hold anything.
 */
export type SegmentFacts = Readonly<Record<string, ColumnFact>>;
