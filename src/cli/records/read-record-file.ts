import { readFileSync, statSync } from 'node:fs';
import { readRecords, type RecordsRead } from '#profiler';
import { cliErrors } from '../command-line/error-codes.js';

/** Maximum size of a file in bytes, as it is read as a whole. A record usually has about 10,000. */
const maxBytes = 256 * 1024 * 1024;

/** Reads the records of a file, or of standard input (`-`). Throws `CLI_BAD_RECORD_FILE`. */
export function readRecordFile(path: string): RecordsRead {
  const name = path === '-' ? 'Standard input' : path;
  let read: RecordsRead | string;
  try {
    const { size } = path === '-' ? { size: 0 } : statSync(path);
    const text = size > maxBytes ? undefined : readFileSync(path === '-' ? 0 : path, 'utf8');
    read =
      text === undefined || text.length > maxBytes
        ? `it has more than ${maxBytes / 1024 / 1024} MiB: split it by lines`
        : readRecords(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    read = error instanceof Error ? error.message : 'it cannot be read';
  }
  if (typeof read === 'string') throw cliErrors.create('CLI_BAD_RECORD_FILE', { path: name, problem: read });
  return read;
}
