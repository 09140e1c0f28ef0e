import { redactedMark } from './redacted-mark.js';

/**
 * Hides the cells of a table, as `console.table` draws it, that stand in a column with a secret name, or in a row whose
 * first cell, or whose cell in a column such as `Key`, is one: `password │ 'x'`.
 */
export function redactTable(text: string, isSecretName: (name: string) => boolean): string {
  let isHeader = false;
  let columns: readonly boolean[] = [];
  let labels: readonly number[] = [];
  return text
    .split('\n')
    .map((line) => {
      if (line.startsWith('┌')) isHeader = true;
      if (!line.startsWith('│')) return line;
      const cells = line.split('│');
      if (isHeader) {
        isHeader = false;
        columns = cells.map((cell) => isSecretName(nameIn(cell)));
        labels = cells.flatMap((cell, at) => (at === 1 || labelColumns.test(nameIn(cell)) ? [at] : []));
        return line;
      }
      const label = labels.find((at) => isSecretName(nameIn(cells[at] ?? ''))) ?? Infinity;
      return cells
        .map((cell, at) =>
          cell.trim() !== '' && (columns[at] === true || at > label)
            ? ` ${redactedMark.padEnd(cell.length - 1)}`
            : cell,
        )
        .join('│');
    })
    .join('\n');
}

const labelColumns = /^(?:key|name|field|header|variable)$/i;

function nameIn(cell: string): string {
  return cell.slice(0, 300).trim().replaceAll(/^'|'$/g, '');
}
