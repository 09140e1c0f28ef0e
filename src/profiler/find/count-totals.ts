import { setImmediate as yieldToLoop } from 'node:timers/promises';
import type { RecordBucket } from '../model/profile-record.js';
import type { ProfileStore, Segment, StoreTotalsOrder } from '../model/profile-store.js';
import type { StoreTotals } from '../model/profile-totals.js';
import type { SegmentRows } from './find-rows.js';
import { addTotals, totalPages, totalRows } from './total-rows.js';

/** Maximum number of attempts if records are written while the store counts. */
const maxCounts = 3;
const noTotals: StoreTotals = { groups: [], complete: false };

interface CountedSources {
  readonly store: Pick<ProfileStore, 'search' | 'totals'>;
  /** Closed records that are not stored yet. */
  readonly unstored: (bucket: RecordBucket) => readonly Segment[];
  /** Called if the store fails to count. */
  readonly failed: (error: unknown) => void;
}

/**
 * Counts the records of the store and those not stored yet (`near`), each once. A record that is written while the store
 * counts may be missing from both; then everything is counted again, and after the last attempt the totals are marked as
 * incomplete.
 */
export async function countTotals(
  { store, unstored, failed }: CountedSources,
  order: StoreTotalsOrder,
  near: () => readonly SegmentRows[],
): Promise<StoreTotals> {
  const bucket = order.query.bucket ?? 'app';
  for (let count = 1; ; count++) {
    const before = unstored(bucket);
    const stored = await (store.totals?.(order) ?? totalPages(store, order)).catch((error: unknown) => {
      failed(error);
      return noTotals;
    });
    await yieldToLoop(); // records that the store wrote before it counted have left the queue by then
    const after = new Set(unstored(bucket).map(({ keys }) => keys[0]));
    const isMissing = before.some(({ keys }) => !after.has(keys[0]));
    if (isMissing && count < maxCounts && stored !== noTotals) continue;
    const totals = addTotals(await totalRows(near(), order), stored);
    return { ...stored, ...totals, complete: totals.complete && !isMissing };
  }
}
