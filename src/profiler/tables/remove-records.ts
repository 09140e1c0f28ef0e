import type { RecordBucket } from '../model/profile-record.js';
import type { PruneReason } from '../model/record-lookup.js';
import type { Retention } from './record-store.js';
import { SqlValues } from './sql-database.js';
import type { StoreTransaction } from './store-transaction.js';
import { placesOfBatch } from './table-schema.js';

export const pruneReasons: readonly PruneReason[] = ['count', 'age', 'bytes', 'purge'];

/**
 * Removes the oldest records that are more than the retention allows, with `waiting` ones counted as if they were stored.
 * Marked records stay and do not count. Returns the bytes in use.
 */
export async function applyRetention(
  transaction: StoreTransaction,
  { records, profilerRecords, ageMs, bytes }: Retention,
  waiting: Readonly<Record<RecordBucket, number>> = { app: 0, profiler: 0 },
): Promise<number> {
  await keepNewest(transaction, 'app', Math.max(0, records - waiting.app));
  await keepNewest(transaction, 'profiler', Math.max(0, profilerRecords - waiting.profiler));
  if (transaction.get('age') > ageMs) await removeOld(transaction, ageMs);
  let used = await transaction.usedBytes();
  const limit = Math.min(bytes, transaction.maxBytes);
  // A share of the records takes about that share of the bytes; what is left over is removed in the next step.
  for (let step = 0; used > limit && step < 8; step++) {
    const all = transaction.get('app') + transaction.get('profiler');
    if (all === 0) break;
    await removeOldest(transaction, Math.ceil((all * (used - limit)) / used));
    used = await transaction.usedBytes();
  }
  return used;
}

async function keepNewest(transaction: StoreTransaction, bucket: RecordBucket, limit: number): Promise<void> {
  const excess = transaction.get(bucket) - limit;
  if (excess <= 0) return;
  await removeRecords(
    transaction,
    'count',
    (values) => `position IN (SELECT position FROM ${transaction.table('record')}
      WHERE bucket = ${values.add(bucket)} AND note IS NULL ORDER BY closed_at, id LIMIT ${values.add(excess)})`,
  );
}

/** Removes what was written longer ago than a time. */
async function removeOld(transaction: StoreTransaction, ageMs: number): Promise<void> {
  const { dialect, table } = transaction;
  await removeRecords(
    transaction,
    'age',
    (values) => `note IS NULL AND position < ${placesOfBatch} * coalesce(
      (SELECT id FROM ${table('batch')} WHERE written_at >= ${dialect.now} - ${values.add(ageMs)} ORDER BY id LIMIT 1),
      ${values.add(transaction.get('batch') + 1)})`,
  );
}

/** Removes a number of records, those that were written first. */
async function removeOldest(transaction: StoreTransaction, count: number): Promise<void> {
  const { run, table } = transaction;
  const [last] = await run(
    `SELECT position FROM ${table('record')} WHERE note IS NULL ORDER BY position LIMIT 1 OFFSET $1`,
    [Math.max(0, count - 1)],
  );
  if (last !== undefined)
    await removeRecords(
      transaction,
      'bytes',
      (values) => `note IS NULL AND position <= ${values.add(Number(last['position']))}`,
    );
}

/** Removes the records that meet a criterion, and the batches of which no record is left. Returns the number of records. */
export async function removeRecords(
  transaction: StoreTransaction,
  reason: PruneReason,
  criterion: (values: SqlValues) => string,
): Promise<number> {
  const { run, table } = transaction;
  const values = new SqlValues();
  const where = criterion(values);
  const gone = await run(
    `SELECT bucket, note IS NOT NULL AS marked, count(*) AS count, min(position) AS first, max(position) AS last,
       max(CASE WHEN id < ${transaction.get('next')} THEN id ELSE -1 END) AS greatest
     FROM ${table('record')} WHERE ${where} GROUP BY bucket, note IS NOT NULL`,
    values.all,
  );
  if (gone.length === 0) return 0;
  await run(`DELETE FROM ${table('record')} WHERE ${where}`, values.all);
  for (const { bucket, marked, count, greatest } of gone) {
    const isMarked = marked === true || Number(marked) === 1;
    transaction.add(isMarked ? 'marked' : bucket === 'profiler' ? 'profiler' : 'app', -Number(count));
    transaction.set(`pruned_${reason}`, Math.max(transaction.get(`pruned_${reason}`), Number(greatest)));
  }
  const first = Math.min(...gone.map((row) => Number(row['first'])));
  const last = Math.max(...gone.map((row) => Number(row['last'])));
  const freed = await run(
    `DELETE FROM ${table('batch')} WHERE id BETWEEN $1 AND $2 AND NOT EXISTS (
       SELECT 1 FROM ${table('record')} WHERE position >= ${table('batch')}.id * ${placesOfBatch}
         AND position < (${table('batch')}.id + 1) * ${placesOfBatch})
     RETURNING bytes`,
    [Math.floor(first / placesOfBatch), Math.floor(last / placesOfBatch)],
  );
  transaction.add('bytes', -freed.reduce((sum, { bytes }) => sum + Number(bytes), 0));
  return gone.reduce((sum, { count }) => sum + Number(count), 0);
}
