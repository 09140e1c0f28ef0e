/** Something about a request that deserves a look, as a sentence. */
export interface RecordFinding {
  readonly level: 'error' | 'warn' | 'info';
  /** One sentence of plain text, without a full stop. It may hold text from outside. */
  readonly text: string;
  /** Where to read more: a panel by its id or by the section that it shows, and the `id` of the row in it. */
  readonly target?: { readonly panel: string; readonly anchor?: string };
}

/** Where to read more; without an anchor, the whole panel. */
export function targetIn(panel: string, anchor?: string): NonNullable<RecordFinding['target']> {
  return anchor === undefined ? { panel } : { panel, anchor };
}

/** `id` of a log entry's row, by its place in `logs`. */
export function logAnchor(place: number): string {
  return `log-${place + 1}`;
}
