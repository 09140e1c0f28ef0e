import { setTimeout as pause } from 'node:timers/promises';
import { readRecord, type RecordBytes } from '../../form/segment-reader.js';
import type { AbsentRecord, StoredRecord } from '../../model/profile-store.js';

/** How long a record is waited for that another process is about to write, and between two looks. */
const timesMs = { wait: 400, pause: 20 };

/** The record that `find` gives; one that its process has not written yet is looked for again. */
export async function findWritten(
  find: () => Promise<RecordBytes | AbsentRecord>,
): Promise<StoredRecord | AbsentRecord> {
  const end = performance.now() + timesMs.wait;
  for (;;) {
    const found = await find();
    if (typeof found === 'object') return readRecord(found);
    if (found !== 'unwritten' || performance.now() > end) return found;
    await pause(timesMs.pause);
  }
}
