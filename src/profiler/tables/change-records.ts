import { type ErrorCodes, defineErrorCodes } from '#coded-error';
import { toStoredText } from '../record/columns.js';
import type { RecordMark } from '../model/record-lookup.js';
import { joinLateNotes, lateColumns, type LateNotes, type StoredLateNotes } from '../record/late-notes.js';
import type { StoreChange, StoreTarget } from './record-store.js';
import { compress } from './append-records.js';
import { batchOfRecord, readDocument } from './read-records.js';
import { removeBatches, removeRecords } from './remove-records.js';
import type { SqlRow, Tables } from './sql-database.js';
import type { StoreMeta } from './store-meta.js';
import { placesOfBatch } from './table-schema.js';

/** Maximum number of marked records, each of which keeps the batch that has its document. */
export const maxMarks = 100;

const table = {
  PROFILER_MARKS_FULL: { message: 'There are already {most} marked records.', fix: 'Remove a mark first.' },
} as const;

/** Errors of marking records. */
export const markErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

/** Changes or removes records; returns their number. */
export async function changeRecords(
  tables: Tables,
  meta: StoreMeta,
  target: StoreTarget,
  change: StoreChange,
): Promise<number> {
  const [where, value] = 'id' in target ? ['id = $1', target.id] : ['bucket = $1', target.bucket];
  if ('remove' in change) return removeRecords(tables, meta, 'purge', { where, values: [value] });
  if (!('id' in target)) return 0;
  const [row] = await tables.run(
    `SELECT id, bucket, position, note, late, error_class, ${batchOfRecord} AS data FROM @record WHERE id = $1`,
    [target.id],
  );
  if (row === undefined) return 0;
  if ('mark' in change) await markRecord(tables, meta, row, change.mark);
  else await noteLate(tables, row, change.late);
  return 1;
}

/** Sets or removes the mark of a record. */
async function markRecord(
  tables: Tables,
  meta: StoreMeta,
  row: SqlRow,
  mark: RecordMark | null,
): Promise<void> {
  const { id, bucket, note } = row;
  if (note === null && mark !== null && meta.get('marked') >= maxMarks)
    throw markErrors.create('PROFILER_MARKS_FULL', { most: maxMarks });
  const change = (mark === null ? 0 : 1) - (note === null ? 0 : 1);
  meta.add('marked', change);
  meta.add(bucket === 'profiler' ? 'profiler' : 'app', -change);
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
async function noteLate({ run }: Tables, row: SqlRow, late: LateNotes): Promise<void> {
  const known = typeof row['late'] === 'string' ? (JSON.parse(row['late']) as StoredLateNotes) : undefined; // our own writing
  const { logs, warnings, errors, ...thrown } = lateColumns(late, row['error_class']);
  const shown = (text: string | null = null): string | null =>
    text === null ? null : toStoredText(text).slice(0, 300);
  await run(
    `UPDATE @record SET late = $1, logs = logs + $2, warnings = warnings + $3, errors = errors + $4,
       error_class = coalesce(error_class, $5), error_message = coalesce(error_message, $6), error_place = coalesce(error_place, $7)
     WHERE id = $8`,
    [
      toStoredText(JSON.stringify(joinLateNotes(known, late))),
      logs,
      warnings,
      errors,
      shown(thrown.errorClass),
      shown(thrown.exception),
      shown(thrown.errorPlace),
      row['id'],
    ],
  );
}
