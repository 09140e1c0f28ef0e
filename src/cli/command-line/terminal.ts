import { visibleJson, visibleText } from '#core/html';

/** A command's output. Both functions take whole lines. */
export interface CliOutput {
  out(text: string): void;
  err(text: string): void;
  /** True if `out` is a terminal with colours enabled. */
  readonly isColored?: boolean;
  /** The terminal's width; undefined for a pipe or a file, whose lines are never cut. */
  readonly columns?: number | undefined;
}

/** Thrown for a command line that cannot be understood or run. The message is for the user who typed it. */
export class UsageError extends Error {}

/** Thrown if there is no application, or one without commands. */
export class NoCommandsError extends UsageError {}

/** Parses the value of the option `name`: a whole number from 1 to `max`. Throws a `UsageError`. */
export function readNumber(name: string, text: string, max: number = Number.MAX_SAFE_INTEGER): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1 && number <= max) return number;
  const range = max < Number.MAX_SAFE_INTEGER ? `to ${max.toLocaleString('en')}` : 'on';
  throw new UsageError(`--${name} must be a whole number from 1 ${range}, not "${text}".`);
}

/** Formats a time in the local time zone, to the second; invalid times as 1970. */
export function formatTime(at: number): string {
  const time = Math.abs(at) <= 8.63e15 ? at : 0; // near 8.64e15 Date throws; a store may hold anything
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}

/** A row's texts by column name. */
export type Cells = Readonly<Record<string, string>>;

export interface TableOptions {
  /** Terminal width in characters; if undefined, nothing is cut. */
  readonly width?: number | undefined;
  /**
   * Columns that may be cut if there is not enough room, widest first: requests and paths in the middle, others at the
   * end.
   */
  readonly flexible?: readonly string[];
  /** Whether to omit the line below the header. */
  readonly isUnruled?: boolean;
  /** Colours a finished cell in the row with this index (-1 for the header), without changing its width. */
  readonly paint?: (row: number, column: string, text: string) => string;
}

/** Renders rows with the same keys as a table. Ends with a line break. */
export function renderRows(rows: readonly Cells[], options: TableOptions = {}): string {
  const { paint = (_row, _column, text): string => text } = options;
  const columns = Object.keys(rows[0] ?? {});
  const whole = [columns, ...rows.map((row) => columns.map((column) => terminalText(row[column] ?? '')))];
  const widths = fitWidths(columns, whole, options);
  const lines = whole.map((line) => line.map((cell, index) => cutCell(cell, widths[index] ?? 0)));
  const padded = lines.map((line) => line.map((cell, index) => cell.padEnd(widths[index] ?? 0)));
  const last = columns.length - 1;
  const [head = [], ...rest] = padded.map((line, at) =>
    line.map((cell, index) => paint(at - 1, columns[index] ?? '', index === last ? cell.trimEnd() : cell)),
  );
  const rule = options.isUnruled === true ? [] : [widths.map((width) => '-'.repeat(width))];
  const painted = [head, ...rule, ...rest];
  return `${painted.map((line) => line.join('  ').trimEnd()).join('\n')}\n`;
}

const leastWidth = 12;

/** Returns the column widths, shrinking flexible columns until the line fits. */
function fitWidths(
  columns: readonly string[],
  lines: readonly (readonly string[])[],
  { width = Infinity, flexible = [] }: TableOptions,
): readonly number[] {
  const widths = columns.map((_, index) => Math.max(3, ...lines.map((line) => (line[index] ?? '').length)));
  let excess = widths.reduce((sum, one) => sum + one, 2 * (columns.length - 1)) - width;
  const indexes = flexible.map((name) => columns.indexOf(name)).filter((at) => at !== -1);
  for (; excess > 0; excess--) {
    const widest = indexes.reduce(
      (best, at) => ((widths[at] ?? 0) > (widths[best] ?? 0) ? at : best),
      indexes[0] ?? -1,
    );
    if ((widths[widest] ?? 0) <= leastWidth) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function cutCell(text: string, width: number): string {
  if (text.length <= width) return text;
  if (!/^(?:(?:\w+ +)?[A-Z]+ +)?\//.test(text)) return `${text.slice(0, width - 1)}…`;
  const end = Math.floor((width - 1) / 2);
  return `${text.slice(0, width - 1 - end)}…${text.slice(text.length - end)}`;
}

/** Renders a text on one line; escapes characters that would control the terminal or change the writing direction. */
export function terminalText(text: string): string {
  return visibleText(text.replace(/\s+/g, ' '));
}

/** Renders a text after a head. In a terminal, wraps it between words and indents further lines to its start. */
export function wrapWords(head: string, text: string, width: number = Infinity): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && head.length + line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return `${head}${lines.join(`\n${' '.repeat(head.length)}`)}\n`;
}

/** A command with its description, which begins in one column. */
const usageLine = /^( {2}\S.{0,40}? {2,})(\S.*)$/;

/** Wraps a usage text to the terminal's width: descriptions in their column, and paragraphs as a whole. */
export function wrapUsage(usage: string, width: number | undefined): string {
  if (width === undefined) return usage;
  const paragraph = (text: string): string =>
    wrapWords('', text.replaceAll('\n', ' '), Math.max(20, width - 1)).trimEnd();
  const parts = usage.trimEnd().split('\n\n');
  const wrapped = parts.map((part) =>
    part.startsWith('  ')
      ? part
          .split('\n')
          .map((line) => {
            const [, head, text] = usageLine.exec(line) ?? [];
            return head === undefined || text === undefined
              ? line
              : wrapWords(head, text, width - 1).trimEnd();
          })
          .join('\n')
      : paragraph(part),
  );
  return `${wrapped.join('\n\n')}\n`;
}

/** Renders JSON on one line; escapes characters that would control a terminal. */
export function renderJson(data: unknown): string {
  return visibleJson(JSON.stringify(data));
}
