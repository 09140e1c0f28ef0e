/** Renders rows as a Markdown table with padded columns, so that it is readable in a terminal too. */
export function renderTable(headings, rows) {
  const cells = [headings, ...rows].map((row) => row.map(String));
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const line = (row) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(cells[0]), rule, ...cells.slice(1).map(line)].join('\n');
}

const fixed = (number, digits) => (number === undefined ? '–' : number.toFixed(digits));
const withRange = ({ median, least, greatest }) =>
  `${fixed(median, 2)} (${fixed(least, 2)}–${fixed(greatest, 2)})`;

export function renderServers(results) {
  return renderTable(
    ['server', 'load', 'ratio (range)', 'main thread', 'µs/request', 'requests/s', 'p50 ms', 'p99 ms'],
    results.map((result) => [
      result.title,
      `${result.load} × ${result.connections}`,
      withRange(result.ratio),
      withRange(result.mainRatio),
      fixed(result.micros, 1),
      result.requestsPerSecond,
      fixed(result.p50, 2),
      fixed(result.p99, 2),
    ]),
  );
}

export function renderPieces(results) {
  return renderTable(
    ['piece', 'median', 'range', 'unit'],
    results.map(({ name, spread, unit }) => [
      name,
      significant(spread.median),
      `${significant(spread.least)}–${significant(spread.greatest)}`,
      unit,
    ]),
  );
}

function significant(number) {
  if (number >= 100) return String(Math.round(number));
  return number >= 10 ? number.toFixed(1) : number.toFixed(2);
}
