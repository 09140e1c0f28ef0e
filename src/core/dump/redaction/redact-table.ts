import { redactSecret } from './redacted-mark.js';
import { isPlainValue } from './secret-names.js';

type IsSecretName = (name: string) => boolean;

/**
 * Hides the cells of a table in a text, as printed by `console.table` and database command lines: cells below a column
 * with a secret name, and cells beside a row's secret name.
 */
export function redactTable(text: string, isSecretName: IsSecretName): string {
  const lines = text.split('\n');
  /** The header's words; undefined outside a table. */
  let header: readonly string[] | undefined;
  return lines
    .map((line, index) => {
      const mark = line.includes('│') ? '│' : '|';
      if (tableRule.test(line)) return line;
      const cells = line.split(mark);
      if (cells.length === 1 || cells.length > maxCells) header = undefined;
      else if (tableRule.test(lines[index + 1] ?? '') && cells.length !== header?.length)
        header = cells.map(wordIn);
      else if (cells.length === header?.length) return redactRow(cells, header, isSecretName).join(mark);
      return line;
    })
    .join('\n');
}

/** The first line of a file of separated values: names only. */
const columnNames = /^[\w "'.-]{1,60}(?:([,;\t])[\w "'.-]{1,60}){1,199}\r?\n/;

/**
 * Hides the cells below secret names in a text whose first line is a header of separated values (CSV). From the first
 * row with another number of cells, such as one with a separator in quotes, the rest of the text is not a table.
 */
export function redactColumns(text: string, isSecretName: IsSecretName): string {
  const [first = '', separator = ''] = columnNames.exec(text.slice(0, maxHeader)) ?? [];
  const header = first.trim().split(separator).map(wordInQuotes);
  if (first === '' || !header.some((name) => isSecretName(name))) return text;
  const lines = text.slice(first.length).split('\n');
  const end = lines.findIndex((line) => line.trim() !== '' && line.split(separator).length !== header.length);
  const rows = lines.slice(0, end === -1 ? undefined : end).map((line) =>
    line
      .split(separator)
      .map((cell, at) => (isSecretName(header[at] ?? '') ? hideCell(cell, header[at] ?? '') : cell))
      .join(separator),
  );
  return first + [...rows, ...lines.slice(rows.length)].join('\n');
}

const maxHeader = 10_000;

function wordInQuotes(cell: string): string {
  return wordIn(cell.trim().replaceAll(/^"|"$/g, ''));
}

/** A line between rows: `├───┼───┤`, `----+----`, `|---|---|`. */
const tableRule = /^(?=[^\n]{0,20}(?:─|--|:-))[\s─-╿|+:-]{3,20000}$/;
const maxCells = 200;

function redactRow(
  cells: readonly string[],
  header: readonly string[],
  isSecretName: IsSecretName,
): readonly string[] {
  const [from, name] = valuesFrom(cells, header, isSecretName);
  return cells.map((cell, at) => {
    const column = header[at] ?? '';
    if (at >= from) return hideCell(cell, name);
    return isSecretName(column) ? hideCell(cell, column) : cell;
  });
}

/** Returns the index of the first cell next to a secret name, and that name, which is in the first cell or in a column such as `Key`. */
function valuesFrom(
  cells: readonly string[],
  header: readonly string[],
  isSecretName: IsSecretName,
): readonly [number, string] {
  const first = cells.findIndex((cell) => cell.trim() !== '');
  const label = cells.findIndex(
    (cell, at) => (at === first || labelColumns.test(header[at] ?? '')) && isSecretName(wordIn(cell)),
  );
  return label === -1 ? [Infinity, ''] : [label + 1, wordIn(cells[label] ?? '')];
}

/** Columns that name the values next to them; `0` is the column in a list of pairs. */
const labelColumns = /^(?:key|name|field|header|variable|0)$/i;

function wordIn(cell: string): string {
  const word = cell.trim().replaceAll(/^'|'$/g, '');
  return /^[\p{L}\p{N}_.$ -]{1,60}$/u.test(word) ? word : '';
}

const emptyCell = /^(?:[:-]+|null|undefined|true|false|''|\[redacted(?:-[\da-f]{4})?\])$/i;

function hideCell(cell: string, name: string): string {
  const value = cell.trim();
  const content = /^-?\d{1,20}$/.test(value) ? Number(value) : value.replaceAll(/^'|'$/g, '');
  if (value === '' || emptyCell.test(value) || isPlainValue(name, content)) return cell;
  const hidden = cell.replace(value, () => redactSecret(value));
  // Only borders show a column's width anyway.
  return cell.endsWith(' ') ? hidden.padEnd(cell.length) : hidden;
}
