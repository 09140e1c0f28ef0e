import { setTimeout as pause } from 'node:timers/promises';
import type { AbsentRecord, FoundRecord, RecordStore } from '../tables/record-store.js';

/** How long and how often a lookup waits for a record that another process has not written yet. */
const waiting = { ms: 100, everyMs: 20 };

/** Looks up a record; waits a little if another process is about to write it. */
export async function findWritten(store: RecordStore, id: number): Promise<FoundRecord | AbsentRecord> {
  const end = performance.now() + waiting.ms;
  for (;;) {
    const found = await store.find(id);
    if (found.kind !== 'unwritten' || performance.now() >= end) return found;
    await pause(waiting.everyMs);
  }
}
