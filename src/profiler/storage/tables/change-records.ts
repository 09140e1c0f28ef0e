import { type ErrorCodes, defineErrorCodes, safely } from '#core/coded-error';
import { findingsColumn, toStoredText } from '../../model/profile-summary.js';
import type { RecordMark, PruneReason } from '../../model/record-lookup.js';
import {
  addAmendments,
  joinAmendments,
  lateColumns,
  type Amendments,
  type StoredAmendments,
} from '../../encoding/amendments.js';
import type { StoreChange, StoreTarget } from './record-store.js';
import type { Retention } from './retention.js';
import { batchOfRecord, compress, readDocument, readAmendments } from './read-records.js';
import type { SqlRow, Tables } from './sql-database.js';
import { type StoreMeta, placesOfBatch } from './table-schema.js';
import type { ProfileRecord, RecordOrigin, StoredFinding } from '../../model/profile-record.js';

/** Maximum number of marked records, each of which keeps the batch that has its document. */
export const maxMarks = 100;

const table = {
  PROFILER_MARKS_FULL: { message: 'There are already {limit} pinned records.', fix: 'Unpin one first.' },
} as const;

export const markErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

export async function changeRecords(
  tables: Tables,
  meta: StoreMeta,
  target: StoreTarget,
  change: StoreChange,
): Promise<number> {
  const [where, value] = 'id' in target ? ['id = $1', target.id] : ['origin = $1', target.origin];
  if ('remove' in change) return removeRecords(tables, meta, 'purge', { where, values: [value] });
  if (!('id' in target)) return 0;
  const [row] = await tables.run(
    `SELECT id, origin, position, note, late, error_class, route, ${batchOfRecord} AS data FROM @record WHERE id = $1`,
    [target.id],
  );
  if (row === undefined) return 0;
  if ('mark' in change) await markRecord(tables, meta, row, change.mark);
  else await noteLate(tables, row, change);
  return 1;
}

async function markRecord(
  tables: Tables,
  meta: StoreMeta,
  row: SqlRow,
  mark: RecordMark | null,
): Promise<void> {
  const { id, origin, note } = row;
  if (note === null && mark !== null && meta.get('marked') >= maxMarks)
    throw markErrors.create('PROFILER_MARKS_FULL', { limit: maxMarks });
  const change = (mark === null ? 0 : 1) - (note === null ? 0 : 1);
  meta.add('marked', change);
  meta.add(origin === 'profiler' ? 'profiler' : 'app', -change);
  const shown = mark === null ? null : toStoredText(mark.note);
  await tables.run('UPDATE @record SET note = $1 WHERE id = $2', [shown, id]);
  if (change > 0) await keepApart(tables, meta, row);
}

/** Copies the document of a record to a batch of its own, so that it keeps no others alive. */
async function keepApart(tables: Tables, meta: StoreMeta, row: SqlRow): Promise<void> {
  const position = Number(row['position']);
  const before = Array.from({ length: position % placesOfBatch }, () => '');
  const data = compress([...before, JSON.stringify(readDocument(row))]);
  const made = await tables.run(
    `INSERT INTO @batch (id, written_at, bytes, data)
     SELECT $1, written_at, $2, $3 FROM @batch WHERE id = $4 ON CONFLICT (id) DO NOTHING RETURNING bytes`,
    [-position, data.length, data, Math.floor(position / placesOfBatch)],
  );
  meta.add('bytes', made.length * data.length);
  await removeBatches(tables, meta, [position, position]);
}

/** Adds what came late to a record, and to the columns by which it is found. */
async function noteLate(
  { run }: Tables,
  row: SqlRow,
  { late, findFindings }: Extract<StoreChange, { late: Amendments }>,
): Promise<void> {
  const joined = joinAmendments(readAmendments(row), late);
  const findings = findFindings === undefined ? undefined : findAgain(row, joined, findFindings);
  const { logs, warnings, errors, nodeWarnings, ...thrown } = lateColumns(late, {
    errorClass: row['error_class'],
    route: typeof row['route'] === 'string' ? row['route'] : null,
  });
  const shown = (text: string | null = null): string | null =>
    text === null ? null : toStoredText(text).slice(0, 300);
  await run(
    `UPDATE @record SET late = $1, logs = logs + $2, warnings = warnings + $3, errors = errors + $4,
       node_warnings = node_warnings + $5, error_class = coalesce(error_class, $6),
       error_message = coalesce(error_message, $7), error_location = coalesce(error_location, $8),
       fingerprint = coalesce(fingerprint, $9), findings = coalesce($10, findings)
     WHERE id = $11`,
    [
      toStoredText(JSON.stringify(findings === undefined ? joined : { ...joined, findings })),
      logs,
      warnings,
      errors,
      nodeWarnings,
      shown(thrown.errorClass),
      shown(thrown.exception),
      shown(thrown.errorLocation),
      shown(thrown.fingerprint),
      findings === undefined ? null : findingsColumn(findings),
      row['id'],
    ],
  );
}

/** Returns what stands out in a record with what came late; undefined if its document cannot be read. */
function findAgain(
  row: SqlRow,
  late: StoredAmendments,
  find: (record: ProfileRecord) => readonly StoredFinding[],
): readonly StoredFinding[] | undefined {
  return safely(() => {
    const { findings = [], ...record } = addAmendments(readDocument(row), late);
    // Those of the application's own sections are found by no one else.
    return find({ ...record, findings: findings.filter(({ kind, section }) => kind === section) });
  }, undefined);
}

/** Removes the oldest records beyond the retention, `waiting` ones counted. Marked ones stay. Returns the bytes in use. */
export async function applyRetention(
  tables: Tables,
  meta: StoreMeta,
  { records, profilerRecords, ageDays, bytes }: Retention,
  waiting: Readonly<Record<RecordOrigin, number>> = { app: 0, profiler: 0 },
): Promise<number> {
  for (const [origin, limit] of [
    ['app', records],
    ['profiler', profilerRecords],
  ] as const) {
    const excess = meta.get(origin) - Math.max(0, limit - waiting[origin]);
    if (excess > 0)
      await removeRecords(tables, meta, 'count', {
        where: `position IN (SELECT position FROM @record
          WHERE origin = $1 AND note IS NULL ORDER BY closed_at, id LIMIT $2)`,
        values: [origin, excess],
      });
  }
  const ageMs = ageDays * 86_400_000;
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
    `SELECT origin, note IS NOT NULL AS marked, count(*) AS count, min(position) AS first, max(position) AS last,
       max(CASE WHEN id < ${meta.get('next')} THEN id ELSE -1 END) AS greatest
     FROM @record WHERE ${where} GROUP BY origin, note IS NOT NULL`,
    values,
  );
  if (gone.length === 0) return 0;
  await tables.run(`DELETE FROM @record WHERE ${where}`, values);
  for (const { origin, marked, count, greatest } of gone) {
    const isMarked = marked === true || Number(marked) === 1;
    meta.add(isMarked ? 'marked' : origin === 'profiler' ? 'profiler' : 'app', -Number(count));
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
