import type { RichValue } from './block.js';
import { type Column, column } from './make-tables.js';
import { mono } from './make-values.js';

/** Start and duration, the first columns in a table of calls. */
export const times: readonly Column<{ readonly offsetMs: number; readonly durationMs: number }>[] = [
  column.start(({ offsetMs }) => offsetMs, { minor: true }),
  column.duration(),
];

/** Renders a response status; a dash if there was no response. */
export function statusCell(status: number): RichValue {
  return mono(status === 0 ? '–' : String(status));
}
