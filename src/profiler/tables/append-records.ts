import { deflateRawSync } from 'node:zlib';
import { idOf, isRandomId } from '../record/token.js';
import { listColumns, valuesOf } from '../record/columns.js';
import type { RecordBucket } from '../model/profile-record.js';
import type { FinishedRecord } from './record-store.js';
import type { Tables } from './sql-database.js';
import type { StoreMeta } from './store-meta.js';
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
    let [rows, lines, characters]: [Batch['rows'][number][], string[], number] = [[], [], 0];
    const finish = (): void => {
      if (rows.length > 0) batches.push({ bucket, rows, data: compress(lines) });
      [rows, lines, characters] = [[], [], 0];
    };
    for (const { record, summary } of records) {
      const id = idOf(record.token);
      if (record.bucket !== bucket || id === undefined) continue;
      const line = JSON.stringify(record);
      if (rows.length === maxBatch.records || characters + line.length > maxBatch.characters) finish();
      rows.push({ id, values: [...valuesOf(summary), JSON.stringify(summary.collected)] });
      lines.push(line);
      characters += line.length;
    }
    finish();
    return batches;
  });
}

/** Returns documents as a batch has them: each is the line at its place. */
export function compress(lines: readonly string[]): Uint8Array {
  return deflateRawSync(lines.join('\n'), { level: 1 });
}

/** Stores records, and returns how many were refused because their token belongs to another record. */
export async function appendRecords(
  tables: Tables,
  meta: StoreMeta,
  batches: readonly Batch[],
): Promise<number> {
  let refused = 0;
  for (const batch of batches) {
    const fresh = await insertBatch(tables, meta, batch);
    for (const row of batch.rows) {
      if (!fresh.has(row.id) && (await isForeign(tables, row))) refused++;
      if (!isRandomId(row.id)) meta.set('next', Math.max(meta.get('next'), row.id + 1));
    }
  }
  return refused;
}

const columns = ['position', 'id', ...listColumns.map(({ name }) => name), 'numbers'];
/** Inserts a batch and its rows; returns the ids of those that were free. */
async function insertBatch(
  { run, now, rowsPerInsert }: Tables,
  meta: StoreMeta,
  { bucket, rows, data }: Batch,
): Promise<ReadonlySet<number>> {
  meta.add('batch', 1);
  const batch = meta.get('batch');
  const fresh = new Set<number>();
  for (let from = 0; from < rows.length; from += rowsPerInsert) {
    const given: unknown[] = [];
    const places = rows.slice(from, from + rowsPerInsert).map(({ id, values }, row) => {
      const all = [batch * placesOfBatch + from + row, id, ...values];
      return `(${all.map((value) => `$${given.push(value)}`).join(', ')})`;
    });
    const inserted = await run(
      `INSERT INTO @record (${columns.join(', ')}) VALUES ${places.join(', ')}
       ON CONFLICT (id) DO NOTHING RETURNING id`,
      given,
    );
    for (const { id } of inserted) fresh.add(Number(id));
  }
  if (fresh.size === 0) return fresh;
  const bytes = data.length + rows.length * rowBytes;
  await run(`INSERT INTO @batch (id, written_at, bytes, data) VALUES ($1, ${now}, $2, $3)`, [
    batch,
    bytes,
    data,
  ]);
  meta.add('bytes', bytes);
  meta.add(bucket, fresh.size);
  return fresh;
}

/** Whether the id of a row that was not inserted belongs to another record; otherwise an earlier attempt has stored it. */
async function isForeign({ run }: Tables, { id, values }: Batch['rows'][number]): Promise<boolean> {
  const [found] = await run('SELECT url, sequence FROM @record WHERE id = $1', [id]);
  return ['url', 'sequence'].some((name) => found?.[name] !== values[columns.indexOf(name) - 2]);
}
