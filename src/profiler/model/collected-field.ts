/** A number of a section that lists and searches know. */
export interface CollectedField {
  /** `db.queries`. */
  readonly column: string;
  readonly kind: 'count' | 'ms';
  /** What it is called where it is above 0 and deserves a look: `N+1`. */
  readonly finding?: string;
}
