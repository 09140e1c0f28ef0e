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

/** Maximum number of pinned records. Each keeps the batch that contains its document. */
export const maxMarks = 100;

const table = {
  PROFILER_MARKS_FULL: {
    message: '{limit} records are already pinned, which is the limit.',
    fix: 'Unpin one first.',
  },
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
    `SELECT id, origin, position, note, kept, late, error_class, route, ${batchOfRecord} AS data FROM @record WHERE id = $1`,
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
  const { id, note } = row;
  if (note === null && mark !== null && meta.get('marked') >= maxMarks)
    throw markErrors.create('PROFILER_MARKS_FULL', { limit: maxMarks });
  const change = (mark === null ? 0 : 1) - (note === null ? 0 : 1);
  meta.add('marked', change);
  meta.add(countedAs(row), -change);
  const shown = mark === null ? null : toStoredText(mark.note);
  // Once unpinned, the record is subject to the limits again.
  await tables.run('UPDATE @record SET note = $1, kept = 0 WHERE id = $2', [shown, id]);
  if (change > 0) await keepApart(tables, meta, row);
}

/** Returns the meta number that counts an unpinned record. */
function countedAs({ origin, kept }: SqlRow): 'kept' | RecordOrigin {
  if (Number(kept) === 1) return 'kept';
  return origin === 'profiler' ? 'profiler' : 'app';
}

/** Copies a record's document into its own batch, so that it does not keep other records alive. */
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

/** Adds amendments to a record, and to the columns it is searched by. */
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

/** Returns a record's findings including its amendments; undefined if its document cannot be read. */
function findAgain(
  row: SqlRow,
  late: StoredAmendments,
  find: (record: ProfileRecord) => readonly StoredFinding[],
): readonly StoredFinding[] | undefined {
  return safely(() => {
    const { findings = [], ...record } = addAmendments(readDocument(row), late);
    // Findings from custom sections cannot be recomputed here, so they are kept.
    return find({ ...record, findings: findings.filter(({ kind, section }) => kind === section) });
  }, undefined);
}

/** A failed request: status 500 or above, or an error without a status that blames the client. */
const isFailure = `origin = 'app' AND (status >= 500 OR (error_class IS NOT NULL AND status < 400))`;

/**
 * Removes the oldest records beyond the retention, counting `waiting` records as stored. Keeps pinned records, and the
 * newest of the failures that the limits on number and size would remove. Returns the bytes in use.
 */
export async function applyRetention(
  tables: Tables,
  meta: StoreMeta,
  retention: Retention,
  waiting: Readonly<Record<RecordOrigin, number>> = { app: 0, profiler: 0 },
): Promise<number> {
  const { records, profilerRecords, failures, bytes } = retention;
  for (const [origin, limit] of [
    ['app', records],
    ['profiler', profilerRecords],
  ] as const) {
    const excess = meta.get(origin) - Math.max(0, limit - waiting[origin]);
    const oldest = { from: `origin = '${origin}' AND`, order: 'closed_at, id', excess };
    if (excess > 0) await removeOldest(tables, meta, 'count', { ...oldest, failures });
  }
  await removeKept(tables, meta, 'count', meta.get('kept') - failures);
  await removeAged(tables, meta, retention.ageDays * 86_400_000);
  const limit = Math.min(bytes, tables.maxBytes);
  let used = await usedBytes(tables, meta);
  // A share of the records takes about the same share of the bytes; later steps remove the rest.
  for (let step = 0; used > limit && step < 8; step++) {
    const others = meta.get('app') + meta.get('profiler');
    if (others + meta.get('kept') === 0) break;
    const share = (used - limit) / used;
    // The limit has priority: if other records cannot free enough, kept failures must. They are older than the newest
    // record, which stays.
    const isTight = step >= 4;
    const keptShare = others <= 1 ? share : await excessOfKept(tables, limit / 4);
    const excess = Math.ceil(others * share);
    await removeKept(tables, meta, 'bytes', Math.ceil(meta.get('kept') * keptShare));
    await removeOldest(tables, meta, 'bytes', {
      from: '',
      order: 'position',
      excess: meta.get('kept') > 0 ? Math.min(excess, others - 1) : excess,
      failures: isTight ? 0 : failures,
    });
    used = await usedBytes(tables, meta);
  }
  return used;
}

/** Returns the share of separately kept documents that exceeds `mostBytes`. */
async function excessOfKept({ run }: Tables, mostBytes: number): Promise<number> {
  const [row] = await run('SELECT sum(bytes) AS bytes FROM @batch WHERE id < 0');
  const bytes = Number(row?.['bytes'] ?? 0);
  return bytes <= mostBytes ? 0 : (bytes - mostBytes) / bytes;
}

/** Removes records that are too old, including kept failures. */
async function removeAged(tables: Tables, meta: StoreMeta, ageMs: number): Promise<void> {
  const since = `${tables.now} - $1`;
  if (meta.get('age') > ageMs)
    await removeRecords(tables, meta, 'age', {
      where: `note IS NULL AND kept = 0 AND position < ${placesOfBatch} * coalesce(
        (SELECT id FROM @batch WHERE written_at >= ${since} AND id > 0 ORDER BY id LIMIT 1), $2)`,
      values: [ageMs, meta.get('batch') + 1],
    });
  if (meta.get('kept_age') > ageMs)
    await removeRecords(tables, meta, 'age', {
      where: `kept = 1 AND position IN (SELECT -id FROM @batch WHERE id < 0 AND written_at < ${since})`,
      values: [ageMs],
    });
}

/** Removes the oldest separately kept failures. */
async function removeKept(
  tables: Tables,
  meta: StoreMeta,
  reason: PruneReason,
  excess: number,
): Promise<void> {
  if (excess <= 0) return;
  await removeRecords(tables, meta, reason, {
    where: 'position IN (SELECT position FROM @record WHERE kept = 1 ORDER BY position LIMIT $1)',
    values: [excess],
  });
}

interface Oldest {
  /** An SQL condition that selects the records and ends with AND; may be empty. */
  readonly from: string;
  readonly order: string;
  readonly excess: number;
  /** Number of failures to keep. */
  readonly failures: number;
}

/** Removes the oldest records, but keeps the failures among them. */
async function removeOldest(
  tables: Tables,
  meta: StoreMeta,
  reason: PruneReason,
  { from, order, excess, failures }: Oldest,
): Promise<void> {
  const oldest = `position IN (SELECT position FROM @record
    WHERE ${from} note IS NULL AND kept = 0 ORDER BY ${order} LIMIT $1)`;
  const found =
    failures === 0
      ? []
      : await tables.run(
          `SELECT position FROM @record WHERE ${isFailure} AND ${oldest} ORDER BY position DESC LIMIT $2`,
          [excess, failures],
        );
  let kept = 0;
  for (const { position } of found) if (await keepFailure(tables, meta, Number(position))) kept++;
  if (excess > kept) await removeRecords(tables, meta, reason, { where: oldest, values: [excess - kept] });
}

/** Keeps a failure separately from other records. Returns false if its document cannot be read. */
async function keepFailure(tables: Tables, meta: StoreMeta, position: number): Promise<boolean> {
  const [row] = await tables.run(
    `SELECT position, ${batchOfRecord} AS data FROM @record AS record WHERE position = $1`,
    [position],
  );
  if (row === undefined || safely(() => readDocument(row), undefined) === undefined) return false;
  await tables.run('UPDATE @record SET kept = 1 WHERE position = $1', [position]);
  meta.add('app', -1);
  meta.add('kept', 1);
  await keepApart(tables, meta, row);
  return true;
}

async function usedBytes({ run, usedBytes: statement }: Tables, meta: StoreMeta): Promise<number> {
  if (statement === undefined) return meta.get('bytes');
  const [row] = await run(statement);
  return Number(row?.['used']);
}

/**
 * Removes the records that match a condition, and batches left without records. Returns the number of records removed.
 */
export async function removeRecords(
  tables: Tables,
  meta: StoreMeta,
  reason: PruneReason,
  { where, values }: { readonly where: string; readonly values: readonly unknown[] },
): Promise<number> {
  const gone = await tables.run(
    `SELECT origin, kept, note IS NOT NULL AS marked, count(*) AS count, min(position) AS first, max(position) AS last,
       max(CASE WHEN id < ${meta.get('next')} THEN id ELSE -1 END) AS greatest
     FROM @record WHERE ${where} GROUP BY origin, kept, note IS NOT NULL`,
    values,
  );
  if (gone.length === 0) return 0;
  await tables.run(`DELETE FROM @record WHERE ${where}`, values);
  for (const row of gone) {
    const { marked, count, greatest } = row;
    const isMarked = marked === true || Number(marked) === 1;
    meta.add(isMarked ? 'marked' : countedAs(row), -Number(count));
    meta.set(`pruned_${reason}`, Math.max(meta.get(`pruned_${reason}`), Number(greatest)));
  }
  const first = Math.min(...gone.map((row) => Number(row['first'])));
  await removeBatches(tables, meta, [first, Math.max(...gone.map((row) => Number(row['last'])))]);
  return gone.reduce((sum, { count }) => sum + Number(count), 0);
}

/** Removes unreferenced batches between two positions, including the copies made for single records. */
export async function removeBatches(
  { run }: Tables,
  meta: StoreMeta,
  [first, last]: readonly [first: number, last: number],
): Promise<void> {
  const freed = await run(
    `DELETE FROM @batch AS batch WHERE (batch.id BETWEEN $1 AND $2 OR batch.id BETWEEN $3 AND $4)
       AND NOT EXISTS (SELECT 1 FROM @record WHERE position >= batch.id * ${placesOfBatch}
         AND position < (batch.id + 1) * ${placesOfBatch} AND note IS NULL AND kept = 0)
       AND NOT EXISTS (SELECT 1 FROM @record WHERE position = -batch.id)
     RETURNING bytes`,
    [Math.floor(first / placesOfBatch), Math.floor(last / placesOfBatch), -last, -first],
  );
  meta.add('bytes', -freed.reduce((sum, { bytes }) => sum + Number(bytes), 0));
}
