/** A number of a section that lists and searches know. */
export interface CollectedField {
  /** `db.queries`. */
  readonly column: string;
  readonly kind: 'count' | 'ms';
  /** Its name as a finding, shown if it is above 0: `N+1`. */
  readonly finding?: string;
}
