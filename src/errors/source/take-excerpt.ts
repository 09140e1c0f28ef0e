import type { Excerpt } from '../report/error-report.js';
import type { LoadedSource } from './source-loader.js';

/** Lines shown before and after the line itself. */
const contextLines = 5;
const maxLineLength = 240;

/** The lines around a place, long ones cut so that the column stays in sight. Undefined where there is no such line. */
export function takeExcerpt(source: LoadedSource, line: number, column: number): Excerpt | undefined {
  if (line < 1 || line > source.lines.length) return undefined;
  const startLine = Math.max(1, line - contextLines);
  const lines = source.lines.slice(startLine - 1, line + contextLines);
  const shift = column > maxLineLength - 40 ? column - 120 : 0;
  const shown = lines.map((text, index) => cutLine(text, startLine + index === line ? shift : 0));
  const excerpt = { startLine, lines: shown, line, column: shift === 0 ? column : column - shift + 1 };
  return source.changed ? { ...excerpt, changed: true } : excerpt;
}

function cutLine(text: string, shift: number): string {
  const from = text.slice(shift, shift + maxLineLength);
  return (shift > 0 ? '…' : '') + from + (text.length > shift + maxLineLength ? '…' : '');
}
