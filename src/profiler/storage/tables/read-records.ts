import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type ErrorCodes, defineErrorCodes, safely } from '#core/coded-error';
import { listColumns, readSummary, type ProfileSummary } from '../../model/profile-summary.js';
import { isRandomId } from '../../encoding/token.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { AbsentRecord, FoundRecord, RecordMark } from '../../model/record-lookup.js';
import { addAmendments, type StoredAmendments } from '../../encoding/amendments.js';
import type { StorePage, StoreSearch } from './record-store.js';
import { SqlConditions } from './conditions.js';
import type { SqlRow, Tables } from './sql-database.js';
import { pruneReasons, readMeta, type StoreMeta, placesOfBatch } from './table-schema.js';

const table = {
  PROFILER_RECORD_DAMAGED: {
    message: 'The record cannot be read: {reason}.',
    fix: 'This record cannot be recovered; other records are not affected.',
  },
} as const;

export const recordErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

/** The batch that contains a row's document. A record kept separately has its own, with the negative position as id. */
export const batchOfRecord: string = `(SELECT data FROM @batch AS batch
  WHERE batch.id IN (-position, position / ${placesOfBatch}) ORDER BY batch.id LIMIT 1)`;

/** Looks up one record. Throws `PROFILER_RECORD_DAMAGED` if its document cannot be read. */
export async function findRecord(tables: Tables, id: number): Promise<FoundRecord | AbsentRecord> {
  // Read before the record, so that a record written in between is found.
  const meta = await readMeta(tables);
  const [row] = await tables.run(
    `SELECT position, note, late, ${batchOfRecord} AS data FROM @record AS record WHERE record.id = $1`,
    [id],
  );
  if (row === undefined) return explainAbsence(meta, id);
  const stored = readDocument(row);
  const late = readAmendments(row);
  return {
    kind: 'found',
    record: late === undefined ? stored : addAmendments(stored, late),
    ...readMark(row),
  };
}

/** Compresses a batch's documents, one per line, ordered by position. */
export function compress(lines: readonly string[]): Uint8Array {
  return deflateRawSync(lines.join('\n'), { level: 1 });
}

/** A batch's maximum inflated size: one record, which may be large, or as many as `maxBatch` allows. */
const maxInflatedBytes = 64 * 1024 * 1024;

/** Returns a record's amendments; undefined if there are none, or if they are damaged. */
export function readAmendments({ late }: SqlRow): StoredAmendments | undefined {
  return typeof late === 'string'
    ? safely(() => JSON.parse(late) as StoredAmendments, undefined) // written by this store
    : undefined;
}

/** Reads a row's document from its batch. Throws `PROFILER_RECORD_DAMAGED`. */
export function readDocument({ position, data }: SqlRow): ProfileRecord {
  try {
    if (!(data instanceof Uint8Array)) throw new Error('its batch is missing');
    const text = inflateRawSync(data, { maxOutputLength: maxInflatedBytes }).toString();
    const line = text.split('\n')[Number(position) % placesOfBatch];
    if (line === undefined) throw new Error('its batch is incomplete');
    return JSON.parse(line) as ProfileRecord; // written by this store
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

export async function listRecords(tables: Tables, search: StoreSearch): Promise<StorePage> {
  const meta = await readMeta(tables);
  const end = (meta.get('batch') + 1) * placesOfBatch;
  const { after, limit } = search;
  if (after === undefined) {
    const found = await selectRows(tables, { ...search, limit: limit + 1 });
    const rows = found.slice(0, limit).map(readRow);
    const last = found.length > limit ? found[limit - 1] : undefined;
    const next = last === undefined ? null : `${Number(last['rank'])}_${Number(last['id'])}`;
    return { rows, next, position: `${meta.store}.${end}` };
  }
  const dot = after.lastIndexOf('.');
  const from = Number(after.slice(dot + 1));
  const isGap = after.slice(0, dot) !== meta.store || !(from <= end);
  const found = isGap ? [] : await selectRows(tables, search, { from, end });
  const last = found.length < limit ? end : Number(found.at(-1)?.['position']) + 1;
  const position = `${meta.store}.${last}`;
  return { rows: found.map(readRow), next: null, position, ...(isGap ? { isGap } : {}) };
}

/** Parses a list page's cursor: its last row's sort value and id; undefined if malformed. */
function readCursor(text: string): { readonly value: number; readonly id: number } | undefined {
  const [, value, id] = /^(-?\d{1,17}(?:\.\d{1,17})?(?:e[+-]?\d{1,2})?)_(\d{1,16})$/.exec(text) ?? [];
  return value === undefined ? undefined : { value: Number(value), id: Number(id) };
}

/** Selects rows in list order, or, for a range of positions, in the order in which they were written. */
function selectRows(
  tables: Tables,
  { query, before, id, limit }: StoreSearch,
  range?: { readonly from: number; readonly end: number },
): Promise<readonly SqlRow[]> {
  const statement = new SqlConditions(tables);
  const isAnyOrigin = query.origin === undefined && id !== undefined;
  const where = isAnyOrigin ? [] : [`origin = ${statement.add(query.origin ?? 'app')}`];
  where.push(...statement.all(query.where));
  if (id !== undefined) where.push(`id = ${statement.add(id)}`);
  if (range !== undefined)
    where.push(`position >= ${statement.add(range.from)}`, `position < ${statement.add(range.end)}`);
  const { column, isAscending } = query.sort ?? { column: 'closedAt', isAscending: false };
  const rank = statement.number(column);
  const cursor = before === undefined ? undefined : readCursor(before);
  if (before !== undefined && cursor === undefined) where.push('1 = 0'); // nothing follows an invalid cursor
  if (cursor !== undefined) {
    const bound = statement.add(cursor.value);
    const key = statement.add(cursor.id);
    where.push(
      isAscending
        ? `(${rank} > ${bound} OR (${rank} = ${bound} AND id < ${key}))`
        : `(${rank}, id) < (${bound}, ${key})`,
    );
  }
  const direction = isAscending ? 'ASC' : 'DESC';
  const [page, order] =
    range === undefined
      ? [`${rank} ${direction}, id DESC`, `page.rank ${direction}, record.id DESC`]
      : ['position', 'record.position'];
  const columns = [...listColumns.map(({ name }) => name), 'id', 'position', 'numbers', 'note'].join(', ');
  // Rows are selected first and read afterwards, so that sorting moves few columns.
  return tables.run(
    `SELECT ${columns}, page.rank AS rank
     FROM @record AS record JOIN (
       SELECT position AS place, ${rank} AS rank FROM @record
       WHERE ${where.join(' AND ')} ORDER BY ${page} LIMIT ${statement.add(limit)}
     ) AS page ON record.position = page.place ORDER BY ${order}`,
    statement.values,
  );
}

function readRow(row: SqlRow): ProfileSummary {
  const { numbers } = row;
  // A row with damaged numbers is listed without them, so that the list as a whole still works.
  const parsed: unknown =
    typeof numbers === 'string' ? safely<unknown, undefined>(() => JSON.parse(numbers), undefined) : numbers;
  const collected = typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, number>) : {}; // written by this store
  return { ...readSummary(row, collected), ...readMark(row) };
}

function readMark({ note }: SqlRow): { mark?: RecordMark } {
  return typeof note === 'string' ? { mark: { note } } : {};
}
