import { anObject, checkValue, either, listOf, objectWith } from '#core/options';
import { completedSections } from '../../sections/completed.js';
import { findFindings } from '../../sections/find-findings.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Profiler } from '../../model/profiler.js';
import { collectedFields, numbersOf } from '../../sections/section.js';
import { summaryOf } from '../../model/profile-summary.js';
import { openStore } from '../../storage/tables/open-store.js';
import type { FinishedRecord, RecordStore } from '../../storage/tables/record-store.js';
import { RecordReader } from '../../storage/writer/record-reader.js';
import { findWritten } from '../../storage/writer/writer.js';

export interface RecordArchive extends Pick<
  Profiler,
  'find' | 'list' | 'totals' | 'news' | 'routes' | 'collected' | 'close'
> {
  readonly store: RecordStore;
}

/** First record schema that includes findings. */
const firstWithFindings = 10;
const noLimit = Number.MAX_SAFE_INTEGER;
const unbounded = { records: noLimit, ageDays: 36_500, bytes: noLimit, profilerRecords: noLimit };
/** Number of records written at once. */
const writeCount = 64;

/**
 * Opens a store, or records in memory, for reading by tools outside the recording process. Unlike a profiler, it does
 * not hide a failing store: every method rejects with its error.
 */
export async function openArchive(source: RecordStore | readonly ProfileRecord[]): Promise<RecordArchive> {
  checkValue(
    'openArchive()',
    'source',
    source,
    either(objectWith('a RecordStore', 'append'), listOf(anObject('a record'))),
  );
  const store = 'append' in source ? source : await storeOf(source);
  const reader = new RecordReader({
    ask: {
      find: (id) => findWritten(store, id),
      list: async (search) => ({ ...(await store.list(search)), complete: true }),
      totals: (query) => store.totals(query),
      routes: async () => store.routes?.(),
    },
    failed(error) {
      throw error;
    },
  });
  const collected = collectedFields([...completedSections.values()]);
  return Object.assign(reader, { store, collected, close: () => store.close() });
}

/** Converts a record to a store's input, including its summary. */
function toFinished(record: ProfileRecord): FinishedRecord {
  const numbers: Record<string, number> = {};
  for (const [name, data] of Object.entries(record.sections)) {
    const definition = completedSections.get(name);
    // A custom section with this name counts as 0.
    if (definition !== undefined)
      Object.assign(
        numbers,
        numbersOf(definition, data, () => undefined),
      );
  }
  // Older records only contain custom sections' findings, without a kind.
  const isOlder = record.schema < firstWithFindings;
  const own = (record.findings ?? []).map((one) => ({ ...one, kind: one.section }));
  const found = isOlder ? { ...record, findings: findFindings({ ...record, findings: own }) } : record;
  return { record: found, summary: summaryOf(found, numbers) };
}

/** Returns an in-memory store filled with the records in the order in which they were closed. */
async function storeOf(records: readonly ProfileRecord[]): Promise<RecordStore> {
  const store = openStore('memory:', { retention: unbounded });
  const sorted = records.toSorted((a, b) => a.startedAt - b.startedAt || a.sequence - b.sequence);
  for (let at = 0; at < sorted.length; at += writeCount)
    await store.append({ records: sorted.slice(at, at + writeCount).map(toFinished) });
  return store;
}
