import type { ProfileRecord } from '../model/profile-record.js';
import type { ProfileSummary } from '../model/profile-summary.js';
import type { StoredRecord, StoredRows } from '../model/profile-store.js';
import { PackReader } from './pack-reader.js';
import { readRecord } from './read-record.js';
import { readRow } from './row.js';

type NameKey = (key: number) => string;

/** A record out of its segment. Throws a RangeError or SyntaxError where the bytes are damaged. */
export function readStored(stored: StoredRecord, tokenOf: NameKey): ProfileRecord {
  const rows = new PackReader(stored.directory);
  const records = new PackReader(stored.body);
  rows.open(stored.index);
  records.open(stored.index);
  return readRecord(records, readRow(rows), tokenOf(stored.keys[stored.index] ?? -1));
}

/** The rows of a segment, newest first. */
export function* readRows(stored: StoredRows, tokenOf: NameKey): Iterable<ProfileSummary> {
  const rows = new PackReader(stored.directory);
  for (let index = Math.min(stored.to, rows.count) - 1; index >= stored.from; index--) {
    rows.open(index);
    const { target: _target, origin: _origin, ...summary } = readRow(rows);
    yield { token: tokenOf(stored.keys[index] ?? -1), ...summary };
  }
}
