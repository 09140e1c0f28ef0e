export type TableFormat = 'table' | 'json' | 'markdown';

/** Rows with the same keys, as columns for a terminal, as JSON, or as a Markdown table. Ends with a line break. */
export function renderRows(rows: readonly Readonly<Record<string, string>>[], format: TableFormat): string {
  if (format === 'json') return `${JSON.stringify(rows, null, 2)}\n`;
  const columns = Object.keys(rows[0] ?? {});
  const clean = format === 'markdown' ? markdownCell : terminalCell;
  const lines = [columns, ...rows.map((row) => columns.map((column) => clean(row[column] ?? '')))];
  const widths = columns.map((_, index) => Math.max(3, ...lines.map((line) => (line[index] ?? '').length)));
  const padded = lines.map((line) => line.map((cell, index) => cell.padEnd(widths[index] ?? 0)));
  const ruled = [padded[0] ?? [], widths.map((width) => '-'.repeat(width)), ...padded.slice(1)];
  const render =
    format === 'markdown' ? markdownLine : (line: readonly string[]): string => line.join('  ').trimEnd();
  return `${ruled.map(render).join('\n')}\n`;
}

function markdownLine(line: readonly string[]): string {
  return `| ${line.join(' | ')} |`;
}

function markdownCell(text: string): string {
  return terminalCell(text).replace(/[|\\`*_<>[\]]/g, '\\$&');
}

/** Nothing in a cell may steer the terminal or begin a line. */
function terminalCell(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/\p{Cc}/gu, '\uFFFD');
}
