import { deflateRawSync } from 'node:zlib';
import { idOf, isRandomId } from '../record/token.js';
import { listColumns, valuesOf } from '../record/columns.js';
import type { RecordBucket } from '../model/profile-record.js';
import type { FinishedRecord, StoreAnswer, StoreWrite } from './record-store.js';
import type { SqlRow } from './sql-database.js';
import type { StoreTransaction } from './store-transaction.js';
import { placesOfBatch } from './table-schema.js';

/** Most records of a batch, and most characters of JSON: to read one of them, all are inflated. */
const maxBatch = { records: 64, characters: 1024 * 1024 };
/** Estimated bytes of a row and its places in the indexes. */
const rowBytes = 500;

/** Milliseconds of silence after which a process is forgotten. */
const forgottenMs = 30 * 24 * 60 * 60 * 1000;

/** This process, as the table of processes knows it. */
export interface StoreRun {
  readonly id: number;
  /** The ids that were reserved last, newest first: `2048-3072 0-1024`. */
  ids: string;
}

/** Records of one bucket that are compressed together. */
interface Batch {
  readonly bucket: RecordBucket;
  readonly rows: readonly { readonly id: number; readonly values: readonly unknown[] }[];
  readonly data: Uint8Array;
}

/** Divides records into batches. Leaves out those whose token is not one of ours. */
export function packRecords(records: readonly FinishedRecord[]): readonly Batch[] {
  return (['app', 'profiler'] as const).flatMap((bucket) => {
    const batches: Batch[] = [];
    let [own, lines, characters]: [FinishedRecord[], string[], number] = [[], [], 0];
    const finish = (): void => {
      if (own.length > 0) batches.push(packBatch(bucket, own, lines));
      [own, lines, characters] = [[], [], 0];
    };
    for (const one of records) {
      if (one.record.bucket !== bucket || idOf(one.record.token) === undefined) continue;
      const line = JSON.stringify(one.record);
      if (own.length === maxBatch.records || characters + line.length > maxBatch.characters) finish();
      own.push(one);
      lines.push(line);
      characters += line.length;
    }
    finish();
    return batches;
  });
}

function packBatch(
  bucket: RecordBucket,
  records: readonly FinishedRecord[],
  lines: readonly string[],
): Batch {
  return {
    bucket,
    data: packLines(lines),
    rows: records.map(({ record, summary }) => ({
      id: idOf(record.token) ?? 0,
      values: [...valuesOf(summary), JSON.stringify(summary.collected)],
    })),
  };
}

/** Compresses the JSON of records, one on each line. */
export function packLines(lines: readonly string[]): Uint8Array {
  return deflateRawSync(lines.join('\n'), { level: 1 });
}

/** Stores batches, notes the process, and reserves ids for it. */
export async function appendRecords(
  transaction: StoreTransaction,
  batches: readonly Batch[],
  { write, run }: { readonly write: StoreWrite; readonly run: StoreRun },
): Promise<Pick<StoreAnswer, 'reserved' | 'refused'> & { readonly known: SqlRow }> {
  const packed = batches.reduce((sum, { rows }) => sum + rows.length, 0);
  let [refused, lastId] = [write.records.length - packed, -1];
  for (const batch of batches) {
    const fresh = await insertBatch(transaction, batch, run);
    refused += await countForeign(transaction, batch, fresh);
    lastId = fresh.reduce((last, id) => (isRandomId(id) ? last : Math.max(last, id)), lastId);
  }
  const reserved = reserveIds(transaction, write.reserve ?? 0);
  const ids = reserved === undefined ? run.ids : idRanges(run, reserved);
  const { app = 0, profiler = 0 } = write.waiting ?? {};
  const known = await noteProcess(transaction, { id: run.id, ids }, { waiting: app + profiler, lastId });
  return { refused, known, ...(reserved === undefined ? {} : { reserved }) };
}

/** Inserts a batch and its rows; returns the ids of those that were free. */
async function insertBatch(
  transaction: StoreTransaction,
  { bucket, rows, data }: Batch,
  { id: process }: StoreRun,
): Promise<readonly number[]> {
  const { dialect, table, run } = transaction;
  transaction.add('batch', 1);
  const batch = transaction.get('batch');
  const columns = ['position', 'id', 'process', ...listColumns.map(({ name }) => name), 'numbers'];
  const fresh: number[] = [];
  for (let from = 0; from < rows.length; from += dialect.rowsPerInsert) {
    const own = rows.slice(from, from + dialect.rowsPerInsert);
    const places = own.map((_, row) =>
      placeholders(columns, row * columns.length, dialect.toTime.bind(dialect)),
    );
    const inserted = await run(
      `INSERT INTO ${table('record')} (${columns.join(', ')}) VALUES ${places.join(', ')}
       ON CONFLICT (id) DO NOTHING RETURNING id`,
      own.flatMap(({ id, values }, row) => [batch * placesOfBatch + from + row, id, process, ...values]),
    );
    fresh.push(...inserted.map(({ id }) => Number(id)));
  }
  if (fresh.length === 0) return fresh;
  const bytes = data.length + rows.length * rowBytes;
  await run(
    `INSERT INTO ${table('batch')} (id, written_at, bytes, data) VALUES ($1, ${dialect.now}, $2, $3)`,
    [batch, bytes, data],
  );
  transaction.add('bytes', bytes);
  transaction.add(bucket, fresh.length);
  return fresh;
}

const timeColumns: ReadonlySet<string> = new Set(
  listColumns.filter(({ type }) => type === 'time').map(({ name }) => name),
);

function placeholders(
  columns: readonly string[],
  from: number,
  toTime: (expression: string) => string,
): string {
  const places = columns.map((name, at) => {
    const place = `$${from + at + 1}`;
    return timeColumns.has(name) ? toTime(place) : place;
  });
  return `(${places.join(', ')})`;
}

/** Returns how many of the rows that were not inserted belong to other records; the others were stored by an earlier attempt. */
async function countForeign(
  { run, table, dialect }: StoreTransaction,
  { rows }: Batch,
  fresh: readonly number[],
): Promise<number> {
  if (fresh.length === rows.length) return 0;
  const isFresh = new Set(fresh);
  const taken = new Map(rows.filter(({ id }) => !isFresh.has(id)).map(({ id, values }) => [id, values]));
  const ids = [...taken.keys()];
  const found = await run(
    `SELECT id, url, sequence, ${dialect.toMilliseconds('started_at')} AS started_at FROM ${table('record')}
     WHERE id IN (${ids.map((_, at) => `$${at + 1}`).join(', ')})`,
    ids,
  );
  const isOwn = (row: SqlRow): boolean =>
    ['url', 'sequence', 'started_at'].every(
      (name) => String(row[name]) === String(taken.get(Number(row['id']))?.[placeOf(name)]),
    );
  return found.filter((row) => !isOwn(row)).length;
}

function placeOf(column: string): number {
  return listColumns.findIndex(({ name }) => name === column);
}

function reserveIds(transaction: StoreTransaction, amount: number): StoreAnswer['reserved'] {
  if (amount === 0) return undefined;
  const from = transaction.get('next');
  transaction.set('next', from + amount);
  return { from, to: from + amount };
}

/** Returns the ids that a process reserved, with new ones: the last two ranges. */
export function idRanges({ ids }: StoreRun, { from, to }: { from: number; to: number }): string {
  return [`${from}-${to}`, ...ids.split(' ')].slice(0, 2).join(' ').trim();
}

/**
 * Enters this process into the table of processes, or updates what is known of it there. Returns its row, and when the
 * oldest batch was written (`oldest`).
 */
async function noteProcess(
  { run, table, dialect }: StoreTransaction,
  { id, ids }: StoreRun,
  { waiting, lastId }: { readonly waiting: number; readonly lastId: number },
): Promise<SqlRow> {
  const [row = {}] = await run(
    `INSERT INTO ${table('process')} AS known (id, seen_at, has_ended, waiting, ids, last_id)
     VALUES ($1, ${dialect.now}, 0, $2, $3, $4)
     ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, has_ended = 0, waiting = excluded.waiting,
       ids = excluded.ids,
       last_id = CASE WHEN excluded.last_id > known.last_id THEN excluded.last_id ELSE known.last_id END
     RETURNING *, (SELECT written_at FROM ${table('batch')} ORDER BY id LIMIT 1) AS oldest`,
    [id, waiting, ids, lastId],
  );
  return row;
}

/** Removes the processes that were silent for long. */
export async function forgetProcesses({ run, table, dialect }: StoreTransaction): Promise<void> {
  await run(`DELETE FROM ${table('process')} WHERE seen_at < ${dialect.now} - $1`, [forgottenMs]);
}
