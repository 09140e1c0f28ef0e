import { baseColumns, type ColumnValue } from '../../form/summary-columns.js';
import { SummaryReader } from '../../form/summary-reader.js';
import type { Segment } from '../../model/profile-store.js';
import { columnOf } from './postgres-schema.js';

const columns = [
  'segment',
  'place',
  'key',
  'bucket',
  'collected',
  ...baseColumns.map(({ name }) => columnOf(name)),
];

/** The statement that takes the lines. */
export const copyRecords: string = `COPY record (${columns.join(', ')}) FROM STDIN`;

/** The summaries of a segment as lines of `COPY`; `keys` are those under which its records are kept. */
export function recordLines(segment: Segment, id: string, keys: readonly number[]): Buffer {
  const reader = new SummaryReader(segment.directory);
  const base = baseColumns.map(({ name }) => reader.column(name));
  const collected = reader.collectedNames.map((name) => [name, reader.column(name)] as const);
  let text = '';
  for (const [place, key] of keys.entries()) {
    const numbers = Object.fromEntries(collected.map(([name, values]) => [name, values[place] ?? 0]));
    text += `${id}\t${place}\t${key}\t${segment.bucket}\t${field(JSON.stringify(numbers))}`;
    for (const values of base) text += `\t${field(values[place] ?? null)}`;
    text += '\n';
  }
  return Buffer.from(text);
}

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  // PostgreSQL keeps no such character.
  '\0': '\uFFFD',
};

function field(value: ColumnValue): string {
  if (value === null) return '\\N';
  if (typeof value === 'number') return String(value);
  return /[\\\t\n\r\0]/.test(value) ? value.replace(/[\\\t\n\r\0]/g, (found) => escapes[found] ?? '') : value;
}
