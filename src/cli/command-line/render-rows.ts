import { visibleJson, visibleText } from '#html';

export type TableFormat = 'table' | 'json' | 'markdown';

type Cells = Readonly<Record<string, string>>;

/**
 * Renders rows with the same keys as columns for a terminal, as JSON, or as a Markdown table. Ends with a line break.
 * `paint` may colour a finished line of a table.
 */
export function renderRows(
  rows: readonly Cells[],
  format: TableFormat,
  paint: (row: Cells, line: string) => string = (_row, line) => line,
): string {
  if (format === 'json') return `${visibleJson(JSON.stringify(rows, null, 2))}\n`;
  const columns = Object.keys(rows[0] ?? {});
  const clean = format === 'markdown' ? markdownCell : terminalText;
  const lines = [columns, ...rows.map((row) => columns.map((column) => clean(row[column] ?? '')))];
  const widths = columns.map((_, index) => Math.max(3, ...lines.map((line) => (line[index] ?? '').length)));
  const padded = lines.map((line) => line.map((cell, index) => cell.padEnd(widths[index] ?? 0)));
  const ruled = [padded[0] ?? [], widths.map((width) => '-'.repeat(width)), ...padded.slice(1)];
  const render =
    format === 'markdown' ? markdownLine : (line: readonly string[]): string => line.join('  ').trimEnd();
  return `${ruled.map((line, at) => paint(rows[at - 2] ?? {}, render(line))).join('\n')}\n`;
}

function markdownLine(line: readonly string[]): string {
  return `| ${line.join(' | ')} |`;
}

function markdownCell(text: string): string {
  return terminalText(text).replace(/[|\\`*_<>[\]]/g, '\\$&');
}

/**
 * Renders a text on one line. Characters that would control the terminal, begin a line or change the direction of
 * writing are escaped.
 */
export function terminalText(text: string): string {
  return visibleText(text.replace(/\s+/g, ' '));
}

/** Renders JSON on one line, with escapes for characters that would control a terminal. */
export function renderJson(data: unknown): string {
  return visibleJson(JSON.stringify(data));
}
