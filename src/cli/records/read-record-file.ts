import { readFileSync, statSync } from 'node:fs';
import { type ProfileRecord, readRecords } from '#profiler';
import { cliErrors } from '../command-line/error-codes.js';

/** Maximum size of a file in bytes, as it is read as a whole. A record usually has about 10,000. */
const maxBytes = 256 * 1024 * 1024;

/** Reads the records of a file. Throws `CLI_BAD_RECORD_FILE`. */
export function readRecordFile(path: string): readonly ProfileRecord[] {
  let read: readonly ProfileRecord[] | string;
  try {
    const text = statSync(path).size > maxBytes ? undefined : readFileSync(path, 'utf8');
    read =
      text === undefined
        ? `it has more than ${maxBytes / 1024 / 1024} MiB: split it by lines`
        : readRecords(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    read = error instanceof Error ? error.message : 'it cannot be read';
  }
  if (typeof read === 'string') throw cliErrors.create('CLI_BAD_RECORD_FILE', { path, problem: read });
  return read;
}
