import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordBucket } from '../model/profile-record.js';
import type { ProfileStore, Segment, StoreTotalsOrder } from '../model/profile-store.js';
import type { StoreTotals } from '../model/profile-totals.js';
import type { SegmentRows } from './find-rows.js';
import { addTotals, totalPages, totalRows } from './total-rows.js';

/** How often the store counts at most while records are being written. */
const maxCounts = 3;
const noTotals: StoreTotals = { groups: [], complete: false };

interface CountedSources {
  readonly store: Pick<ProfileStore, 'search' | 'totals'>;
  /** Closed records that are not stored yet. */
  readonly unstored: (bucket: RecordBucket) => readonly Segment[];
  /** Called where the store cannot count. */
  readonly failed: (error: unknown) => void;
}

/**
 * Totals of the store and of what is not stored yet (`near`), each record counted once. What is written while the
 * store counts is in its answer, or is missing: then it counts again, and at last the totals are incomplete.
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
    await nextTurn(); // what the store wrote before it counted has left the queue by then
    const after = new Set(unstored(bucket).map(({ keys }) => keys[0]));
    const isMissing = before.some(({ keys }) => !after.has(keys[0]));
    if (isMissing && count < maxCounts && stored !== noTotals) continue;
    const totals = addTotals(await totalRows(near(), order), stored);
    return { ...stored, ...totals, complete: totals.complete && !isMissing };
  }
}
