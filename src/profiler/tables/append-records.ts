import { deflateRawSync } from 'node:zlib';
import { idOf, isRandomId } from '../record/token.js';
import { listColumns, valuesOf } from '../record/columns.js';
import type { RecordBucket } from '../model/profile-record.js';
import type { FinishedRecord, StoreAnswer } from './record-store.js';
import { SqlValues } from './sql-database.js';
import type { StoreTransaction } from './store-transaction.js';
import { placesOfBatch } from './table-schema.js';

/** Most records of a batch, and most characters of JSON: to read one of them, all are inflated. */
const maxBatch = { records: 64, characters: 1024 * 1024 };
/** Estimated bytes of a row and its places in the indexes. */
const rowBytes = 500;

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
    data: deflateRawSync(lines.join('\n'), { level: 1 }),
    rows: records.map(({ record, summary }) => ({
      id: idOf(record.token) ?? 0,
      values: [...valuesOf(summary), JSON.stringify(summary.collected)],
    })),
  };
}

/** Stores records, and returns how many were refused because their token belongs to another record. */
export async function appendRecords(
  transaction: StoreTransaction,
  batches: readonly Batch[],
): Promise<number> {
  let refused = 0;
  for (const batch of batches) {
    const fresh = await insertBatch(transaction, batch);
    refused += await countForeign(transaction, batch, fresh);
    for (const { id } of batch.rows)
      if (!isRandomId(id)) transaction.set('next', Math.max(transaction.get('next'), id + 1));
  }
  return refused;
}

/** Reserves ids: `from` inclusive, `to` exclusive. */
export function reserveIds(transaction: StoreTransaction, amount: number): StoreAnswer['reserved'] {
  const from = transaction.get('next');
  transaction.set('next', from + amount);
  return amount === 0 ? undefined : { from, to: from + amount };
}

/** Inserts a batch and its rows; returns the ids of those that were free. */
async function insertBatch(
  transaction: StoreTransaction,
  { bucket, rows, data }: Batch,
): Promise<ReadonlySet<number>> {
  const { dialect, table, run } = transaction;
  transaction.add('batch', 1);
  const batch = transaction.get('batch');
  const columns = ['position', 'id', ...listColumns.map(({ name }) => name), 'numbers'];
  const fresh = new Set<number>();
  for (let from = 0; from < rows.length; from += dialect.rowsPerInsert) {
    const own = rows.slice(from, from + dialect.rowsPerInsert);
    const values = new SqlValues();
    const places = own.map(({ id, values: listed }, row) => {
      const all = [batch * placesOfBatch + from + row, id, ...listed];
      const each = all.map((value, at) => {
        const place = values.add(value);
        return timeColumns.has(columns[at] ?? '') ? dialect.toTime(place) : place;
      });
      return `(${each.join(', ')})`;
    });
    const inserted = await run(
      `INSERT INTO ${table('record')} (${columns.join(', ')}) VALUES ${places.join(', ')}
       ON CONFLICT (id) DO NOTHING RETURNING id`,
      values.all,
    );
    for (const { id } of inserted) fresh.add(Number(id));
  }
  if (fresh.size === 0) return fresh;
  const bytes = data.length + rows.length * rowBytes;
  await run(
    `INSERT INTO ${table('batch')} (id, written_at, bytes, data) VALUES ($1, ${dialect.now}, $2, $3)`,
    [batch, bytes, data],
  );
  transaction.add('bytes', bytes);
  transaction.add(bucket, fresh.size);
  return fresh;
}

const timeColumns: ReadonlySet<string> = new Set(
  listColumns.filter(({ type }) => type === 'time').map(({ name }) => name),
);
const identity = ['url', 'sequence'].map((name) => ({
  name,
  at: listColumns.findIndex((one) => one.name === name),
}));

/** Returns how many of the rows that were not inserted belong to other records; the others were stored by an earlier attempt. */
async function countForeign(
  { run, table }: StoreTransaction,
  { rows }: Batch,
  fresh: ReadonlySet<number>,
): Promise<number> {
  let foreign = 0;
  for (const { id, values } of rows) {
    if (fresh.has(id)) continue;
    const [found] = await run(`SELECT url, sequence FROM ${table('record')} WHERE id = $1`, [id]);
    if (identity.some(({ name, at }) => found?.[name] !== values[at])) foreign++;
  }
  return foreign;
}
