import type { RecordBucket } from '../model/profile-record.js';
import type { PruneReason } from '../model/record-lookup.js';
import type { Retention } from './record-store.js';
import type { Tables } from './sql-database.js';
import type { StoreMeta } from './store-meta.js';
import { placesOfBatch } from './table-schema.js';

export const pruneReasons: readonly PruneReason[] = ['count', 'age', 'bytes', 'purge'];

/**
 * Removes the oldest records that are more than the retention allows, with `waiting` ones counted as if they were stored.
 * Marked records stay and do not count. Returns the bytes in use.
 */
export async function applyRetention(
  tables: Tables,
  meta: StoreMeta,
  { records, profilerRecords, ageMs, bytes }: Retention,
  waiting: Readonly<Record<RecordBucket, number>> = { app: 0, profiler: 0 },
): Promise<number> {
  for (const [bucket, limit] of [
    ['app', records],
    ['profiler', profilerRecords],
  ] as const) {
    const excess = meta.get(bucket) - Math.max(0, limit - waiting[bucket]);
    if (excess > 0)
      await removeRecords(tables, meta, 'count', {
        where: `position IN (SELECT position FROM @record
          WHERE bucket = $1 AND note IS NULL ORDER BY closed_at, id LIMIT $2)`,
        values: [bucket, excess],
      });
  }
  if (meta.get('age') > ageMs)
    await removeRecords(tables, meta, 'age', {
      where: `note IS NULL AND position < ${placesOfBatch} * coalesce(
        (SELECT id FROM @batch WHERE written_at >= ${tables.now} - $1 AND id > 0 ORDER BY id LIMIT 1), $2)`,
      values: [ageMs, meta.get('batch') + 1],
    });
  const limit = Math.min(bytes, tables.maxBytes);
  let used = await usedBytes(tables, meta);
  // A share of the records takes about that share of the bytes; what is left over is removed in the next step.
  for (let step = 0; used > limit && step < 8; step++) {
    const all = meta.get('app') + meta.get('profiler');
    if (all === 0) break;
    await removeRecords(tables, meta, 'bytes', {
      where: `position IN (SELECT position FROM @record WHERE note IS NULL ORDER BY position LIMIT $1)`,
      values: [Math.ceil((all * (used - limit)) / used)],
    });
    used = await usedBytes(tables, meta);
  }
  return used;
}

async function usedBytes({ run, usedBytes: statement }: Tables, meta: StoreMeta): Promise<number> {
  if (statement === undefined) return meta.get('bytes');
  const [row] = await run(statement);
  return Number(row?.['used']);
}

/** Removes the records that meet a criterion, and the batches of which none is left. Returns the number of records. */
export async function removeRecords(
  tables: Tables,
  meta: StoreMeta,
  reason: PruneReason,
  { where, values }: { readonly where: string; readonly values: readonly unknown[] },
): Promise<number> {
  const gone = await tables.run(
    `SELECT bucket, note IS NOT NULL AS marked, count(*) AS count, min(position) AS first, max(position) AS last,
       max(CASE WHEN id < ${meta.get('next')} THEN id ELSE -1 END) AS greatest
     FROM @record WHERE ${where} GROUP BY bucket, note IS NOT NULL`,
    values,
  );
  if (gone.length === 0) return 0;
  await tables.run(`DELETE FROM @record WHERE ${where}`, values);
  for (const { bucket, marked, count, greatest } of gone) {
    const isMarked = marked === true || Number(marked) === 1;
    meta.add(isMarked ? 'marked' : bucket === 'profiler' ? 'profiler' : 'app', -Number(count));
    meta.set(`pruned_${reason}`, Math.max(meta.get(`pruned_${reason}`), Number(greatest)));
  }
  const first = Math.min(...gone.map((row) => Number(row['first'])));
  await removeBatches(tables, meta, [first, Math.max(...gone.map((row) => Number(row['last'])))]);
  return gone.reduce((sum, { count }) => sum + Number(count), 0);
}

/** Removes the batches between two positions, and those of pinned records, that no record needs. */
export async function removeBatches(
  { run }: Tables,
  meta: StoreMeta,
  positions: readonly [first: number, last: number],
): Promise<void> {
  const freed = await run(
    `DELETE FROM @batch AS batch WHERE (batch.id BETWEEN $1 AND $2 OR batch.id < 0)
       AND NOT EXISTS (SELECT 1 FROM @record WHERE position >= batch.id * ${placesOfBatch}
         AND position < (batch.id + 1) * ${placesOfBatch} AND note IS NULL)
       AND NOT EXISTS (SELECT 1 FROM @record WHERE position = -batch.id)
     RETURNING bytes`,
    positions.map((position) => Math.floor(position / placesOfBatch)),
  );
  meta.add('bytes', -freed.reduce((sum, { bytes }) => sum + Number(bytes), 0));
}
