import { setTimeout as pause } from 'node:timers/promises';
import { readRecord, type RecordBytes } from '../../form/segment-reader.js';
import type { AbsentRecord, StoredRecord } from '../../model/profile-store.js';

/** Milliseconds to wait for a record that another process is about to write, and between two attempts. */
const timesMs = { wait: 400, pause: 20 };

/** Returns what `find` finds. Retries while the record's process has not written it yet. */
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
