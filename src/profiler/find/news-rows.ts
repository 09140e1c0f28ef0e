import type { StoredSummary, StoreNewsOrder } from '../model/profile-store.js';
import { prepareFinding, type SegmentRows } from './find-rows.js';

/** Rows of news after which no further segment is begun. */
export const maxNewRows = 1000;

/** Segments as they were written, each with the position behind it. */
export type WrittenRows = SegmentRows & { readonly position: string };

/** The matching rows of segments in the order in which they were written, and the position behind the last one read. */
export async function readNewRows(
  segments: Iterable<WrittenRows>,
  { query }: StoreNewsOrder,
): Promise<{ readonly rows: readonly StoredSummary[]; readonly position: string | undefined }> {
  const { find } = prepareFinding({ query });
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
