/** A notable fact about a request, as a sentence. */
export interface RecordFinding {
  readonly level: 'error' | 'warn' | 'info';
  /** One sentence of plain text, without a full stop. May contain foreign text. */
  readonly text: string;
  /** Link target: a panel, by its id or the section that it shows, and the `id` of a row in it. */
  readonly target?: { readonly panel: string; readonly anchor?: string };
}

/** Returns the link target for a row of a panel; without an anchor, for the whole panel. */
export function targetIn(panel: string, anchor?: string): NonNullable<RecordFinding['target']> {
  return anchor === undefined ? { panel } : { panel, anchor };
}

/** Returns the `id` of a log entry's row, by its index in `logs`. */
export function logAnchor(index: number): string {
  return `log-${index + 1}`;
}
