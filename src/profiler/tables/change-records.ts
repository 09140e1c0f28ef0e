import { type ErrorCodes, defineErrorCodes } from '#coded-error';
import { toStoredText } from '../record/columns.js';
import type { RecordMark } from '../model/record-lookup.js';
import { joinLateNotes, lateColumns, type LateNotes, type StoredLateNotes } from '../record/late-notes.js';
import type { StoreChange, StoreTarget } from './record-store.js';
import { removeRecords } from './remove-records.js';
import type { SqlRow } from './sql-database.js';
import type { StoreTransaction } from './store-transaction.js';

/** Maximum number of marked records, each of which keeps the batch that has its document. */
export const maxMarks = 100;

const table = {
  PROFILER_MARKS_FULL: { message: 'There are already {most} marked records.', fix: 'Remove a mark first.' },
} as const;

/** Errors of marking records. */
export const markErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

/** Changes or removes records; returns their number. */
export async function changeRecords(
  transaction: StoreTransaction,
  target: StoreTarget,
  change: StoreChange,
): Promise<number> {
  if ('remove' in change)
    return removeRecords(transaction, 'purge', (values) =>
      'id' in target ? `id = ${values.add(target.id)}` : `bucket = ${values.add(target.bucket)}`,
    );
  if (!('id' in target)) return 0;
  const { run, table } = transaction;
  const columns = 'id, bucket, note, late, error_class';
  const [row] = await run(`SELECT ${columns} FROM ${table('record')} WHERE id = $1`, [target.id]);
  if (row === undefined) return 0;
  if ('mark' in change) await markRecord(transaction, row, change.mark);
  else await noteLate(transaction, row, change.late);
  return 1;
}

/** Sets or removes the mark of a record. */
async function markRecord(
  transaction: StoreTransaction,
  { id, bucket, note }: SqlRow,
  mark: RecordMark | null,
): Promise<void> {
  if (note === null && mark !== null && transaction.get('marked') >= maxMarks)
    throw markErrors.create('PROFILER_MARKS_FULL', { most: maxMarks });
  const change = (mark === null ? 0 : 1) - (note === null ? 0 : 1);
  transaction.add('marked', change);
  transaction.add(bucket === 'profiler' ? 'profiler' : 'app', -change);
  await transaction.run(`UPDATE ${transaction.table('record')} SET note = $1 WHERE id = $2`, [
    mark === null ? null : toStoredText(mark.note),
    id,
  ]);
}

/** Adds what came late to a record, and to the columns by which it is found. */
async function noteLate({ run, dialect }: StoreTransaction, row: SqlRow, late: LateNotes): Promise<void> {
  const known = typeof row['late'] === 'string' ? (JSON.parse(row['late']) as StoredLateNotes) : undefined; // our own writing
  const {
    logs,
    warnings,
    errors,
    errorClass = null,
    exception = null,
    errorPlace = null,
  } = lateColumns(late, row['error_class']);
  const shown = (text: string | null): string | null =>
    text === null ? null : toStoredText(text).slice(0, 300);
  await run(
    `UPDATE ${dialect.table('record')} SET late = $1, logs = logs + $2, warnings = warnings + $3, errors = errors + $4,
       error_class = coalesce(error_class, $5), error_message = coalesce(error_message, $6), error_place = coalesce(error_place, $7)
     WHERE id = $8`,
    [
      toStoredText(JSON.stringify(joinLateNotes(known, late))),
      logs,
      warnings,
      errors,
      shown(errorClass),
      shown(exception),
      shown(errorPlace),
      row['id'],
    ],
  );
}
