import { readFileSync } from 'node:fs';
import { type ProfileRecord, recordSchema } from '#profiler';
import { cliErrors } from '../command-line/error-codes.js';

/** Whether a store's address is that of a file of records: one as JSON, or one a line. */
export function isRecordFile(address: string): boolean {
  return /\.jsonl?$/.test(address);
}

/** The records of a file, as `/_profiler/TOKEN.json` and `lookback export --jsonl` give them. Throws `CLI_BAD_RECORD_FILE`. */
export function readRecordFile(path: string): readonly ProfileRecord[] {
  const fail = (problem: string): never => {
    throw cliErrors.create('CLI_BAD_RECORD_FILE', { path, problem });
  };
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    fail(error instanceof Error ? error.message : 'it cannot be read');
  }
  const whole = parse(text);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return (whole === undefined ? lines.map(parse) : [whole]).map((value, place) => {
    if (!isRecord(value)) return fail(`line ${place + 1} is no record`);
    if (value.schema > recordSchema)
      fail(`a newer version wrote it (form ${value.schema}, known are up to ${recordSchema})`);
    return value;
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const objects = ['request', 'logTotals', 'runtime', 'config', 'sections', 'cost'];
const lists = ['events', 'logs', 'timeline', 'limits'];

function isRecord(value: unknown): value is ProfileRecord {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return (
    /^[0-9a-f]{6,32}$/.test(String(fields.get('token'))) &&
    ['schema', 'startedAt', 'durationMs'].every((name) => typeof fields.get(name) === 'number') &&
    objects.every((name) => typeof fields.get(name) === 'object' && fields.get(name) !== null) &&
    lists.every((name) => Array.isArray(fields.get(name)))
  );
}
