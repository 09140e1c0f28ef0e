import type { RecordBucket } from '../../model/profile-record.js';
import type { Lease, ProcessCounts, Segment, StoreTally } from '../../model/profile-store.js';
import { byReason } from '../policy/retention.js';
import { packKeysAndSums } from '../pages/block-sums.js';
import { type PackedSegment, packSegment } from '../remote/pack-segment.js';
import type { RemoteOptions } from '../remote/remote-store.js';
import { runAsync, type SqlProgram } from '../sql/sql-program.js';
import { addKeys, freeKeys } from '../sql/sql-ranges.js';
import type { SqlRow } from '../sql/sql-reader.js';
import type { PostgresConnection, Statements } from './postgres-connection.js';
import { channelOf, lockOf, newSegmentIds } from './postgres-schema.js';

/** Estimated disk usage in bytes: of a segment in addition to its contents, and of a record in a block. */
const addedBytes = { segment: 500, record: 40 };

/** Result of a write, for the pruner. */
export interface WriteOutcome {
  readonly tally: StoreTally;
  readonly app: number;
  readonly profiler: number;
  /** Number of records that this process has ever stored. */
  readonly committed: number;
}

/** Amounts that a write adds to the row of its process. */
type Sums = Record<RecordBucket | 'bytes' | 'renamed', number>;

const tableRanges = { end: 'stop' };

const insertProcess = `INSERT INTO process (id, host, pid, version, started_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp()`;

/** Writes the records of this process. */
export class PostgresWriter {
  readonly #connection: PostgresConnection;
  readonly #schema: string;
  readonly #process: RemoteOptions['process'];
  /** Number of committed records that the server has lost since: with its tables, or in a crash. */
  #lost = 0;
  #committed = 0;

  /** `schema` is a quoted identifier. */
  constructor(connection: PostgresConnection, schema: string, { process }: RemoteOptions) {
    this.#connection = connection;
    this.#schema = schema;
    this.#process = process;
  }

  /** Writes the segments in one transaction. Segments that are already stored are skipped. */
  async write(segments: readonly Segment[], counts?: ProcessCounts): Promise<WriteOutcome> {
    const packed = await Promise.all(segments.map(packSegment));
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

  /**
   * Confirms that a write was completed. A write that fails after its commit is retried, and its records must not count
   * as lost before that.
   */
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

  /** Sets or deletes a note. The table is created with the first note: schemas without notes stay as they are. */
  async putNote(kind: string, name: string, text: string | null): Promise<void> {
    const note = `${this.#schema}.note`;
    await this.#connection.rows(
      `CREATE TABLE IF NOT EXISTS ${note} (kind text, name text, text text NOT NULL, PRIMARY KEY (kind, name))`,
    );
    if (text === null)
      await this.#connection.rows(`DELETE FROM ${note} WHERE kind = $1 AND name = $2`, [kind, name]);
    else
      await this.#connection.rows(
        `INSERT INTO ${note} VALUES ($1, $2, $3) ON CONFLICT (kind, name) DO UPDATE SET text = EXCLUDED.text`,
        [kind, name, text],
      );
  }

  /** Marks this process as ended. */
  async leave(): Promise<void> {
    await this.#connection.rows(
      `UPDATE ${this.#schema}.process SET is_over = true, pending = 0 WHERE id = ${this.#process.run}`,
    );
  }

  /** Locks the row of this process and returns the number of its newest segment. */
  async #begin(transaction: Statements): Promise<number> {
    const { run, host, pid, version, startedAt } = this.#process;
    const [found] = await transaction.rows(
      `BEGIN; SET LOCAL search_path TO ${this.#schema}; SELECT pg_advisory_xact_lock_shared(${lockOf('write', this.#schema)});
       SELECT * FROM process WHERE id = ${run} FOR UPDATE`,
    );
    // The first lease of this process may insert it at the same time.
    const [row = {}] =
      found === undefined
        ? await transaction.rows(`${insertProcess} RETURNING *`, [run, host, pid, version, startedAt])
        : [found];
    const committed = committedOf(row);
    this.#lost += Math.max(0, this.#committed - committed);
    this.#committed = committed; // a retried write must not count the loss twice
    return Number(row['last_number']);
  }

  async #insert(transaction: Statements, fresh: readonly PackedSegment[], sums: Sums): Promise<void> {
    const run = <Result>(program: SqlProgram<Result>): Promise<Result> =>
      runAsync(program, (text, given) => transaction.rows(text, given));
    const free = await run(
      freeKeys(
        tableRanges,
        fresh.map(({ segment }) => segment.keys),
      ),
    );
    sums.renamed += free.renamed;
    const named = fresh.map((one, place) => ({ ...one, keys: free.keys[place] ?? [] }));
    const ids = await newSegmentIds(transaction, named.length);
    const values = named.flatMap(({ segment, keys, directory, body }, place) => {
      const { bucket, startedAt, closedAt } = segment;
      const facts = JSON.stringify(segment.facts);
      const packed = packKeysAndSums(keys, [directory, body]);
      const bytes = directory.length + body.length + addedBytes.segment + keys.length * addedBytes.record;
      sums[bucket] += keys.length;
      sums.bytes += bytes;
      const head = [ids[place], this.#process.run, bucket, startedAt, closedAt, keys.length, bytes];
      return [...head, facts, packed, directory, body];
    });
    const width = values.length / named.length;
    const places = named.map(
      (_, index) => `(${Array.from({ length: width }, (__, at) => `$${index * width + at + 1}`).join(', ')})`,
    );
    await transaction.rows(
      `INSERT INTO segment (id, process, bucket, started_at, closed_at, records, bytes, facts, keys, directory, body)
       VALUES ${places.join(', ')}`,
      values,
    );
    await run(addKeys(named.map(({ keys }, place) => ({ id: ids[place] ?? 0, keys }))));
  }

  async #end(
    transaction: Statements,
    { last, sums, counts }: { last: number; sums: Sums; counts: ProcessCounts | undefined },
  ): Promise<SqlRow> {
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

  #toTally(row: SqlRow): StoreTally {
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

/** Returns the number of records that a process has ever stored, from its row. */
function committedOf(row: SqlRow): number {
  const pruned = byReason((reason) => Number(row[`pruned_${reason}`]));
  return Object.values(pruned).reduce(
    (sum, count) => sum + count,
    Number(row['app']) + Number(row['profiler']),
  );
}
