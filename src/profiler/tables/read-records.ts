import { inflateRawSync } from 'node:zlib';
import { type ErrorCodes, defineErrorCodes } from '#coded-error';
import { findColumn, listColumns, readSummary, toMicroseconds } from '../record/columns.js';
import { isRandomId } from '../record/token.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { ProfileSummary } from '../model/profile-summary.js';
import type { AbsentRecord, RecordMark } from '../model/record-lookup.js';
import { addLateNotes, type StoredLateNotes } from '../record/late-notes.js';
import type { FoundRecord, StorePage, StoreSearch } from './record-store.js';
import { SqlConditions } from './conditions.js';
import { pruneReasons } from './remove-records.js';
import { type RunSql, type SqlDialect, type SqlRow, SqlValues } from './sql-database.js';
import { selectMeta, StoreMeta } from './store-transaction.js';
import { placesOfBatch } from './table-schema.js';

const table = {
  PROFILER_RECORD_DAMAGED: {
    message: 'The record cannot be read: {reason}.',
    fix: 'Nothing can be done for this record; other records are not affected.',
  },
} as const;

/** Errors of reading a record. */
export const recordErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

/** Looks up one record. Throws `PROFILER_RECORD_DAMAGED`. */
export async function findRecord(
  run: RunSql,
  dialect: SqlDialect,
  id: number,
): Promise<FoundRecord | AbsentRecord> {
  // Before the record: one that is written between the two questions is found.
  const meta = new StoreMeta(await run(selectMeta(dialect)));
  const [row] = await run(
    `SELECT position, note, late, (SELECT data FROM ${dialect.table('batch')} WHERE id = position / ${placesOfBatch}) AS data
     FROM ${dialect.table('record')} AS record WHERE record.id = $1`,
    [id],
  );
  return row === undefined ? explainAbsence(meta, id) : toFound(row);
}

function toFound(row: SqlRow): FoundRecord {
  const stored = readDocument(row);
  const late = typeof row['late'] === 'string' ? (JSON.parse(row['late']) as StoredLateNotes) : undefined; // our own writing
  const record = late === undefined ? stored : addLateNotes(stored, late);
  const mark = readMark(row);
  return { kind: 'found', record, ...(mark === undefined ? {} : { mark }) };
}

function readDocument({ position, data }: SqlRow): ProfileRecord {
  try {
    if (!(data instanceof Uint8Array)) throw new Error('its batch is missing');
    const line = inflateRawSync(data).toString().split('\n')[Number(position) % placesOfBatch];
    if (line === undefined) throw new Error('its batch is incomplete');
    return JSON.parse(line) as ProfileRecord; // our own writing
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    throw recordErrors.create('PROFILER_RECORD_DAMAGED', { reason }, { cause: error });
  }
}

function explainAbsence(meta: StoreMeta, id: number): AbsentRecord {
  if (isRandomId(id) || id >= meta.get('next')) return { kind: 'never' };
  const [by = null, ...others] = pruneReasons.filter((reason) => meta.get(`pruned_${reason}`) >= id);
  if (by === null) return { kind: 'missing' };
  return { kind: 'pruned', by: others.length === 0 ? by : null };
}

function summaryColumns(dialect: SqlDialect): string {
  return [
    ...listColumns.map(({ name, type }) =>
      type === 'time' ? `${dialect.toMilliseconds(name)} AS ${name}` : name,
    ),
    'id, position, numbers, note',
  ].join(', ');
}

/** Returns one page of the list. */
export async function listRecords(run: RunSql, dialect: SqlDialect, search: StoreSearch): Promise<StorePage> {
  const meta = new StoreMeta(await run(selectMeta(dialect)));
  const end = (meta.get('batch') + 1) * placesOfBatch;
  const { after } = search;
  if (after !== undefined) {
    const [store, from] = [
      after.slice(0, after.lastIndexOf('.')),
      Number(after.slice(after.lastIndexOf('.') + 1)),
    ];
    const isGap = store !== meta.store || !(from <= end);
    const rows = isGap ? [] : await selectRows(run, dialect, search, { from, end });
    const last = rows.length < search.limit ? end : Number(rows.at(-1)?.['position']) + 1;
    const position = `${meta.store}.${last}`;
    return { rows: rows.map(readRow), next: null, position, ...(isGap ? { isGap } : {}) };
  }
  const found = await selectRows(run, dialect, { ...search, limit: search.limit + 1 }, { from: 0, end });
  const rows = found.slice(0, search.limit);
  const last = rows.at(-1);
  const next =
    found.length > search.limit && last !== undefined
      ? `${cursorValue(last['rank'], search)}_${Number(last['id'])}`
      : null;
  return { rows: rows.map(readRow), next, position: `${meta.store}.${end}` };
}

/** Reads where a page of a list ended: the value by which it is sorted, and the id; undefined if it is no cursor. */
export function readCursor(
  text: string | undefined,
): { readonly value: number; readonly id: number } | undefined {
  const [, value, id] = /^(-?\d{1,17}(?:\.\d{1,17})?(?:e[+-]?\d{1,2})?)_(\d{1,16})$/.exec(text ?? '') ?? [];
  return value === undefined ? undefined : { value: Number(value), id: Number(id) };
}

function cursorValue(rank: unknown, { query: { sort } }: StoreSearch): number {
  const isTime = findColumn(sort?.column ?? 'closedAt')?.type === 'time';
  return isTime ? toMicroseconds(Number(rank)) : Number(rank);
}

function selectRows(
  run: RunSql,
  dialect: SqlDialect,
  { query, before, after, id, limit }: StoreSearch,
  { from, end }: { readonly from: number; readonly end: number },
): Promise<readonly SqlRow[]> {
  const values = new SqlValues();
  const conditions = new SqlConditions(dialect, values);
  const isAnyBucket = query.bucket === undefined && id !== undefined;
  const where = isAnyBucket ? [] : [`bucket = ${values.add(query.bucket ?? 'app')}`];
  where.push(...conditions.all(query.where));
  if (id !== undefined) where.push(`id = ${values.add(id)}`);
  const { column, isAscending } = query.sort ?? { column: 'closedAt', isAscending: false };
  const rank = conditions.number(column) ?? '(0 + 0)';
  const isTime = findColumn(column)?.type === 'time';
  const direction = isAscending ? 'ASC' : 'DESC';
  if (after !== undefined) where.push(`position >= ${values.add(from)}`, `position < ${values.add(end)}`);
  const cursor = readCursor(before);
  if (before !== undefined && cursor === undefined) where.push('1 = 0'); // no row comes after what is no cursor
  if (cursor !== undefined) {
    const bound = isTime ? dialect.toTime(values.add(cursor.value)) : values.add(cursor.value);
    const key = values.add(cursor.id);
    where.push(
      isAscending
        ? `(${rank} > ${bound} OR (${rank} = ${bound} AND id < ${key}))`
        : `(${rank}, id) < (${bound}, ${key})`,
    );
  }
  // The rows are found first and read then, so that a sort moves few columns.
  const [page, order] =
    after === undefined
      ? [`${rank} ${direction}, id DESC`, `page.rank ${direction}, record.id DESC`]
      : ['position', 'record.position'];
  return run(
    `SELECT ${summaryColumns(dialect)}, ${isTime ? dialect.toMilliseconds('page.rank') : 'page.rank'} AS rank
     FROM ${dialect.table('record')} AS record JOIN (
       SELECT position AS place, ${rank} AS rank FROM ${dialect.table('record')}
       WHERE ${where.join(' AND ')} ORDER BY ${page} LIMIT ${values.add(limit)}
     ) AS page ON record.position = page.place ORDER BY ${order}`,
    values.all,
  );
}

function readRow(row: SqlRow): ProfileSummary {
  const { numbers } = row;
  const collected = (typeof numbers === 'string' ? JSON.parse(numbers) : numbers) as Record<string, number>; // our own writing
  const mark = readMark(row);
  return { ...readSummary(row, collected), ...(mark === undefined ? {} : { mark }) };
}

function readMark({ note }: SqlRow): RecordMark | undefined {
  return typeof note === 'string' ? { note } : undefined;
}
