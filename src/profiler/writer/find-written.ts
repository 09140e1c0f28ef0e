import { setTimeout as pause } from 'node:timers/promises';
import { isRandomId } from '../record/token.js';
import type { AbsentRecord, FoundRecord, RecordStore } from '../tables/record-store.js';

/** How long and how often a lookup waits for a record that another process has not written yet. */
const waiting = { ms: 1000, everyMs: 10 };

/** Looks up a record; waits a little if another process is about to write it, or may be: who gave out a random id is not known. */
export async function findWritten(store: RecordStore, id: number): Promise<FoundRecord | AbsentRecord> {
  const end = performance.now() + waiting.ms;
  for (;;) {
    const found = await store.find(id);
    const mayCome = found.kind === 'unwritten' || (found.kind === 'never' && isRandomId(id));
    if (!mayCome || performance.now() >= end) return found;
    await pause(waiting.everyMs);
  }
}
