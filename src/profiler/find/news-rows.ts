import type { StoredSummary, StoreNewsOrder } from '../model/profile-store.js';
import { prepareSearch, type SegmentRows } from './find-rows.js';

/** Number of rows after which no further segment is read. */
export const maxNewRows = 1000;

/** A written segment with the position after it. */
export type WrittenRows = SegmentRows & { readonly position: string };

/** Returns the matching rows in write order, and the position after the last segment that was read. */
export async function readNewRows(
  segments: Iterable<WrittenRows>,
  { query }: StoreNewsOrder,
): Promise<{ readonly rows: readonly StoredSummary[]; readonly position: string | undefined }> {
  const { find } = prepareSearch({ query });
  const rows: StoredSummary[] = [];
  let position: string | undefined;
  for (const segment of segments) {
    const found = find(segment);
    if (found !== undefined) rows.push(...(await found.rows.rows(found.indexes.toReversed())));
    ({ position } = segment);
    if (rows.length >= maxNewRows) break;
  }
  return { rows, position };
}
