import { recordJsonSchema } from '../api/record-json-schema.js';
import { type ProfileRecord, recordSchema } from '../model/profile-record.js';
import { findSchemaViolation } from './find-schema-violation.js';

/** Maximum number of characters of one record; our own records have less than a tenth of it. */
const maxLength = 16_000_000;

/**
 * Parses records: one record as JSON (as downloaded from its page), or one per line (as written by `lookback export`). If
 * the text is invalid, returns a sentence that names the problem and the line.
 */
export function readRecords(text: string): readonly ProfileRecord[] | string {
  const lines = text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [{ line, at: at + 1 }]));
  const [first] = lines;
  if (first === undefined) return 'it is empty';
  // The first line of a pretty-printed document is not complete JSON.
  const isLines = lines.length > 1 && parse(first.line) !== undefined;
  if (!isLines) {
    const whole = parse(text);
    if (whole === undefined) return explainJson(text);
    return readAll([{ value: whole, where: 'it' }]);
  }
  const values: ParsedValue[] = [];
  for (const { line, at } of lines) {
    if (line.length > maxLength)
      return `line ${at} has ${line.length} characters, more than ${maxLength} of a record`;
    const value = parse(line);
    if (value === undefined) return `line ${at} is no JSON: ${explainJson(line)}`;
    values.push({ value, where: `line ${at}` });
  }
  return readAll(values);
}

interface ParsedValue {
  readonly value: unknown;
  /** Location of the value for error messages. */
  readonly where: string;
}

function readAll(parsed: readonly ParsedValue[]): readonly ProfileRecord[] | string {
  const records: ProfileRecord[] = [];
  for (const { value, where } of parsed) {
    const schema = typeof value === 'object' && value !== null && 'schema' in value ? value.schema : 0;
    if (typeof schema === 'number' && schema > recordSchema)
      return `${where} was written by a newer version (form ${schema}, known are up to ${recordSchema})`;
    const violation = findSchemaViolation(value, recordJsonSchema);
    if (violation !== undefined) return `${where} is no record: ${violation}`;
    records.push(value as ProfileRecord); // checked
  }
  return records;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Describes the syntax error of an invalid JSON text, with line and column. */
function explainJson(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const place = /position (\d+)/.exec(message)?.[1];
    const end = /Unexpected end|Unterminated/.test(message) && place === undefined ? text.length : undefined;
    const at = place === undefined ? end : Number(place);
    if (at === undefined) return 'it is no JSON';
    const before = text.slice(0, at).split('\n');
    return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1} is where JSON ends`;
  }
}
