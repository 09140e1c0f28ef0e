import { recordJsonSchema } from '../api/record-json-schema.js';
import { type ProfileRecord, recordSchema } from '../model/profile-record.js';
import { findMisfit } from './find-misfit.js';
import { type OtlpFile, otlpSchema } from './otlp-file.js';
import { harSchema, type HarFile, readHar } from './read-har.js';
import { readOtlp } from './read-otlp.js';

/** What a file holds. */
export interface RecordsRead {
  readonly records: readonly ProfileRecord[];
  /** Entries of an HTTP archive, or spans, that belong to no request by HTTP. */
  readonly leftOut: number;
}

/** Characters of one record: a record of our own making has less than a tenth of it. */
const maxLength = 16_000_000;

/**
 * Reads records: one as JSON, as its page gives it, one on each line, as `lookback export` gives them, an HTTP archive, or
 * traces and logs of OpenTelemetry (OTLP as JSON), the last two without their secrets. A sentence says what is wrong with the text, and in which line.
 */
export function readRecords(text: string): RecordsRead | string {
  const lines = text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [{ line, at: at + 1 }]));
  const [first] = lines;
  if (first === undefined) return 'it is empty';
  // A document that is laid out for reading has no first line that is whole JSON.
  const isLines = lines.length > 1 && parse(first.line) !== undefined;
  if (!isLines) {
    const whole = parse(text);
    if (whole === undefined) return explainJson(text);
    return isHar(whole) ? readArchive(whole) : readAll([{ value: whole, where: 'it' }]);
  }
  const values: Given[] = [];
  for (const { line, at } of lines) {
    if (line.length > maxLength)
      return `line ${at} has ${line.length} characters, more than ${maxLength} of a record`;
    const value = parse(line);
    if (value === undefined) return `line ${at} is no JSON: ${explainJson(line)}`;
    values.push({ value, where: `line ${at}` });
  }
  return readAll(values);
}

interface Given {
  readonly value: unknown;
  readonly where: string;
}

function readAll(given: readonly Given[]): RecordsRead | string {
  if (isOtlp(given[0]?.value)) return readTraces(given);
  const records: ProfileRecord[] = [];
  for (const { value, where } of given) {
    const schema = typeof value === 'object' && value !== null && 'schema' in value ? value.schema : 0;
    if (typeof schema === 'number' && schema > recordSchema)
      return `${where} was written by a newer version (form ${schema}, known are up to ${recordSchema})`;
    const misfit = findMisfit(value, recordJsonSchema);
    if (misfit !== undefined) return `${where} is no record: ${misfit}`;
    records.push(value as ProfileRecord); // checked
  }
  return { records, leftOut: 0 };
}

function isHar(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'log' in value;
}

function readArchive(value: unknown): RecordsRead | string {
  const misfit = findMisfit(value, harSchema);
  return misfit === undefined ? readHar(value as HarFile) : `it is no HTTP archive: ${misfit}`; // checked
}

function isOtlp(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('resourceSpans' in value || 'resourceLogs' in value);
}

function readTraces(given: readonly Given[]): RecordsRead | string {
  for (const { value, where } of given) {
    const misfit = findMisfit(value, otlpSchema);
    if (misfit !== undefined) return `${where} is no OTLP: ${misfit}`;
  }
  return readOtlp(given.map(({ value }) => value as OtlpFile)); // checked
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is wrong with a text that is no JSON, and in which of its lines. */
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
