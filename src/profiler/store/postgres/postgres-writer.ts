import type { Lease, ProcessCounts, Segment, StoreTally } from '../../model/profile-store.js';
import { byReason } from '../policy/retention.js';
import { type PackedSegment, packSegment } from '../remote/pack-segment.js';
import type { RemoteOptions } from '../remote/remote-store.js';
import { toRanges } from '../tokens/to-ranges.js';
import { TakenKeys } from '../tokens/taken-keys.js';
import type { PostgresConnection, PostgresRow, Transaction } from './postgres-connection.js';
import { channelOf, newSegmentId } from './postgres-schema.js';
import { copyRecords, recordLines } from './record-lines.js';

/** Of a row with its entries in the indexes, beside what the directory has of it. */
const rowBytes = 300;

/** What a write found, for whoever prunes. */
export interface WriteOutcome {
  readonly tally: StoreTally;
  readonly app: number;
  readonly profiler: number;
  /** Records of this process that were ever stored. */
  readonly committed: number;
}

type Packed = PackedSegment & { readonly keys: readonly number[] };

/** Writes what this process recorded. */
export class PostgresWriter {
  readonly #connection: PostgresConnection;
  readonly #schema: string;
  readonly #process: RemoteOptions['process'];
  /** Records that were committed, and that the server has lost since: with its tables, or the last ones in a crash. */
  #lost = 0;
  #committed = 0;

  /** `schema`: as an identifier. */
  constructor(connection: PostgresConnection, schema: string, { process }: RemoteOptions) {
    this.#connection = connection;
    this.#schema = schema;
    this.#process = process;
  }

  /** All of it in one transaction: a segment that is there already is passed over. */
  async write(segments: readonly Segment[], counts?: ProcessCounts): Promise<WriteOutcome> {
    const packed = (await Promise.all(segments.map(packSegment))).map((one) => ({
      ...one,
      keys: one.segment.keys,
    }));
    const row = await this.#connection.transaction(async (transaction) => {
      const last = await this.#begin(transaction);
      const fresh = packed.filter(({ segment }) => segment.number > last);
      const sums = { app: 0, profiler: 0, bytes: 0, renamed: 0 };
      if (fresh.length > 0) await this.#insert(transaction, fresh, sums);
      return this.#end(transaction, { last: fresh.at(-1)?.segment.number ?? last, sums, counts });
    });
    return {
      tally: this.#toTally(row),
      committed: committedOf(row),
      app: Number(row['all_app']),
      profiler: Number(row['all_profiler']),
    };
  }

  /** The write is known to be done: one that fails after its commit comes again, and must not count as lost before. */
  acknowledge({ committed }: WriteOutcome): void {
    this.#committed = committed;
  }

  async tally(): Promise<StoreTally> {
    const [row = {}] = await this.#connection.rows(
      `SELECT * FROM ${this.#totals()} LEFT JOIN ${this.#schema}.process ON id = ${this.#process.run}`,
    );
    return this.#toTally(row);
  }

  async lease(amount: number): Promise<Lease> {
    const { run, host, pid, version, startedAt } = this.#process;
    const s = this.#schema;
    const [row = {}] = await this.#connection.rows(
      `WITH mine AS (
         INSERT INTO ${s}.process (id, host, pid, version, started_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp()
       ), given AS (
         UPDATE ${s}.meta SET value = (value::bigint + $6)::text WHERE name = 'next' RETURNING value::bigint AS stop
       ), noted AS (INSERT INTO ${s}.lease SELECT stop - $6, stop, $1 FROM given)
       SELECT stop, (SELECT value FROM ${s}.meta WHERE name = 'secret') AS secret FROM given`,
      [run, host, pid, version, startedAt, amount],
    );
    const to = Number(row['stop']);
    return { secret: String(row['secret']), from: to - amount, to };
  }

  /** Nothing more is to be expected of this process. */
  async leave(): Promise<void> {
    await this.#connection.rows(
      `UPDATE ${this.#schema}.process SET is_over = true, pending = 0 WHERE id = ${this.#process.run}`,
    );
  }

  /** Holds the row of this process; gives the number of its newest segment. */
  async #begin(transaction: Transaction): Promise<number> {
    const { run, host, pid, version, startedAt } = this.#process;
    const found = await transaction.rows(
      `BEGIN; SET LOCAL search_path TO ${this.#schema}; SELECT * FROM process WHERE id = ${run} FOR UPDATE`,
    );
    const [row] = found;
    const committed = row === undefined ? 0 : committedOf(row);
    this.#lost += Math.max(0, this.#committed - committed);
    this.#committed = committed; // a write that is tried again must not count it twice
    if (row !== undefined) return Number(row['last_number']);
    await transaction.rows(
      'INSERT INTO process (id, host, pid, version, started_at) VALUES ($1, $2, $3, $4, $5)',
      [run, host, pid, version, startedAt],
    );
    return -1;
  }

  async #insert(
    transaction: Transaction,
    fresh: readonly Packed[],
    sums: { app: number; profiler: number; bytes: number; renamed: number },
  ): Promise<void> {
    const named = await freeKeys(transaction, fresh, sums);
    const values = named.flatMap(({ segment, keys, directory, body }) => {
      const { bucket, startedAt, closedAt } = segment;
      const bytes = directory.length + body.length + segment.directory.length + keys.length * rowBytes;
      sums[bucket] += keys.length;
      sums.bytes += bytes;
      return [this.#process.run, bucket, startedAt, closedAt, keys.length, bytes, directory, body];
    });
    const places = named.map(
      (_, index) =>
        `(${newSegmentId}, ${Array.from({ length: 8 }, (__, at) => `$${index * 8 + at + 1}`).join(', ')})`,
    );
    const rows = await transaction.rows(
      `INSERT INTO segment (id, process, bucket, started_at, closed_at, records, bytes, directory, body)
       VALUES ${places.join(', ')} RETURNING id`,
      values,
    );
    const lines = named.map(({ segment, keys }, index) =>
      recordLines(segment, String(rows[index]?.['id']), keys),
    );
    await transaction.copy(copyRecords, Buffer.concat(lines));
  }

  async #end(
    transaction: Transaction,
    {
      last,
      sums,
      counts,
    }: {
      last: number;
      sums: { app: number; profiler: number; bytes: number; renamed: number };
      counts: ProcessCounts | undefined;
    },
  ): Promise<PostgresRow> {
    const reported =
      counts === undefined
        ? ''
        : `, made = ${counts.made}, dropped = ${counts.dropped}, pending = ${counts.pending}`;
    const [row = {}] = await transaction.rows(
      `UPDATE process SET last_number = ${last}, seen_at = clock_timestamp(), is_over = false, app = app + ${sums.app},
         profiler = profiler + ${sums.profiler}, bytes = bytes + ${sums.bytes},
         renamed = renamed + ${sums.renamed}${reported}
       WHERE id = ${this.#process.run};
       ${sums.app + sums.profiler > 0 ? `NOTIFY ${channelOf(this.#schema)};` : ''}
       SELECT * FROM ${this.#totals()}, process WHERE id = ${this.#process.run}`,
    );
    return row;
  }

  #totals(): string {
    return `(SELECT sum(app) AS all_app, sum(profiler) AS all_profiler, sum(bytes) AS all_bytes
       FROM ${this.#schema}.process) AS totals`;
  }

  #toTally(row: PostgresRow): StoreTally {
    const number = (name: string): number => Number(row[name] ?? 0);
    return {
      pruned: byReason((reason) => number(`pruned_${reason}`)),
      lost: this.#lost,
      setAside: null,
      renamed: number('renamed'),
      records: number('all_app') + number('all_profiler'),
      bytes: number('all_bytes'),
    };
  }
}

/** Records of a process that were ever stored, by its row. */
function committedOf(row: PostgresRow): number {
  const pruned = byReason((reason) => Number(row[`pruned_${reason}`]));
  return Object.values(pruned).reduce(
    (sum, count) => sum + count,
    Number(row['app']) + Number(row['profiler']),
  );
}

/** The segments, with fresh keys for records whose keys are taken. */
async function freeKeys(
  transaction: Transaction,
  packed: readonly Packed[],
  sums: { renamed: number },
): Promise<readonly Packed[]> {
  const ranges = toRanges(packed.flatMap(({ keys }) => keys));
  const rows = await transaction.rows(
    'SELECT key FROM unnest($1::bigint[], $2::bigint[]) AS range (start, stop) JOIN record ON key >= start AND key < stop',
    [ranges.map(({ start }) => start), ranges.map(({ end }) => end)],
  );
  const found = new Set(rows.map((row) => Number(row['key'])));
  const taken = new TakenKeys((key) => found.has(key));
  const free = packed.map((one) => ({ ...one, keys: taken.replace(one.keys) }));
  sums.renamed += taken.renamed;
  return free;
}
