import { type ProfileRecord, recordSchema } from '../model/profile-record.js';
import { summaryOf } from '../record/columns.js';
import { isToken } from '../record/token.js';

/** Maximum number of characters of one record; our own records have less than a tenth of it. */
const maxLength = 16_000_000;
/** Maximum depth of nested values. Our own records are far less deep; code that walks a record recurses once per level. */
const maxDepth = 500;

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
  const records: ProfileRecord[] = [];
  for (const { line, at } of isLines ? lines : [{ line: text, at: 0 }]) {
    const where = isLines ? `line ${at}` : 'it';
    if (line.length > maxLength)
      return `${where} has ${line.length} characters, more than ${maxLength} of a record`;
    const value = parse(line);
    if (value === undefined) return `${where} is no JSON`;
    const schema = typeof value === 'object' && value !== null && 'schema' in value ? value.schema : 0;
    if (typeof schema === 'number' && schema > recordSchema)
      return `${where} was written by a newer version (form ${schema}, known are up to ${recordSchema})`;
    if (isDeeper(value, maxDepth)) return `${where} is nested deeper than ${maxDepth} levels`;
    if (!isRecord(value)) return `${where} is no record of lookback`;
    records.push(value);
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

/** Returns whether a value has what the list shows of a record; pages say of a panel that it cannot show the rest. */
function isRecord(value: unknown): value is ProfileRecord {
  try {
    return isToken(summaryOf(value as ProfileRecord, {}).token); // throws for anything else
  } catch {
    return false;
  }
}

/** Returns whether a value is nested deeper than `levels`. Iterative, because it protects the recursive functions. */
function isDeeper(value: unknown, levels: number): boolean {
  let inside: unknown[] = [value];
  for (let depth = 0; inside.length > 0; depth++) {
    if (depth > levels) return true;
    inside = inside.flatMap((one): unknown[] =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    );
  }
  return false;
}
