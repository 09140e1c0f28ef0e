import type { BlockHead } from '../../find/block/block-form.js';
import {
  BlockSearch,
  type BlockStorage,
  BlockUnreadable,
  type Damage,
  type NumberedRows,
  type SegmentRange,
  type SegmentStorage,
  type StoredBlock,
  type Written,
} from '../../find/block/block-search.js';
import type { SegmentRows } from '../../find/find-rows.js';
import { timeRange } from '../../find/prepare-query.js';
import type { RecordBytes } from '../../form/segment-reader.js';
import type { RecordBucket } from '../../model/profile-record.js';
import type { AbsentRecord, ProcessAccount, StoreNewsOrder } from '../../model/profile-store.js';
import type { SegmentFacts } from '../../model/segment-facts.js';
import { columnBytes, readRecordBytes } from '../pages/block-sums.js';
import { toAccount } from '../policy/process-account.js';
import { isPruneReason } from '../policy/retention.js';
import { unpackKeys } from '../tokens/key-list.js';

/** Number of segment headers to read at once. */
const pageSegments = 256;

export type SqlRow = Readonly<Record<string, unknown>>;

type MaybePromise<Value> = Value | Promise<Value>;

/** The differences between databases that matter for reading. */
export interface SqlDatabase {
  /** Runs a statement, in which `$1` stands for the first value; synchronously or asynchronously. */
  rows(text: string, values?: readonly unknown[]): MaybePromise<readonly SqlRow[]>;
  /** Prefix of the names of tables. */
  readonly schema: string;
  /** Column of a range with the first key after it. */
  readonly end: string;
  /** Table expression for the segments with their contents. */
  readonly segments: string;
  /** The table of processes, and the column that refers to one of them. */
  readonly processes: string;
  readonly process: string;
  /** SQL expressions for the state of a process, and for its columns `seen`, `number` and `stored`. */
  readonly state: string;
  readonly account: string;
  stateOf(state: unknown): ProcessAccount['state'];
  hasTable(name: string): MaybePromise<boolean>;
  source: BlockStorage['source'];
  /** Returns access to the contents of a segment. */
  content(id: number, damage: Damage): Pick<SegmentRows, 'load' | 'read'>;
  written(order: StoreNewsOrder, reader: SqlReader): MaybePromise<Written>;
}

/** Reads the records of all processes. */
export class SqlReader implements SegmentStorage, BlockStorage {
  readonly search: BlockSearch = new BlockSearch(this);
  readonly blocks: BlockStorage = this;
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  async list(bucket: RecordBucket): Promise<readonly StoredBlock[]> {
    if (!(await this.#db.hasTable('chunk'))) return [];
    const rows = await this.#db.rows(
      `SELECT id, first, last, rows FROM ${this.#db.schema}block WHERE bucket = $1 ORDER BY first DESC`,
      [bucket],
    );
    return rows.map(({ id, first, last, rows: count }) => ({
      id: Number(id),
      first: Number(first),
      last: Number(last),
      rows: Number(count),
    }));
  }

  async heads(blocks: readonly StoredBlock[]): Promise<readonly BlockHead[]> {
    const rows = await this.#db.rows(
      `SELECT id, head FROM ${this.#db.schema}block WHERE id IN (${blocks.map(({ id }) => id).join(', ')})`,
    );
    const heads = new Map(rows.map((row) => [Number(row['id']), String(row['head'])]));
    return blocks.map(({ id }) => JSON.parse(heads.get(id) ?? blockIsGone()) as BlockHead); // serialized from this type
  }

  source(block: StoredBlock, damage: Damage): ReturnType<BlockStorage['source']> {
    return this.#db.source(block, damage);
  }

  async oldest(bucket: RecordBucket): Promise<{ id: number; gone: number } | undefined> {
    const [row] = await this.#db.rows(
      `SELECT id, gone FROM ${this.#db.schema}segment WHERE bucket = $1 ORDER BY id LIMIT 1`,
      [bucket],
    );
    return row && { id: Number(row['id']), gone: Number(row['gone']) };
  }

  /** Returns the oldest segments with `above` < id < `below`, at most `limit`. */
  async sizes(
    bucket: RecordBucket,
    { above, below, limit }: { readonly above: number; readonly below: number; readonly limit: number },
  ): Promise<readonly { readonly id: number; readonly records: number }[]> {
    const rows = await this.#db.rows(
      `SELECT id, records FROM ${this.#db.schema}segment WHERE bucket = $1 AND id > $2 AND id < $3
       ORDER BY id LIMIT ${limit}`,
      [bucket, above, below],
    );
    return rows.map((row) => ({ id: Number(row['id']), records: Number(row['records']) }));
  }

  async *segments({ query, above, end }: SegmentRange, damage: Damage): AsyncIterable<NumberedRows> {
    const { least, most } = timeRange(query.where);
    for (let below = end; ;) {
      const heads = await this.#heads(
        `id > $2 AND id <= $3 AND closed_at >= $4 AND started_at <= $5 ORDER BY id DESC LIMIT ${pageSegments}`,
        [query.bucket ?? 'app', above, below, least, most],
      );
      for (const head of heads) yield this.#rowsOf(head, damage);
      if (heads.length < pageSegments) return;
      below = Number(heads.at(-1)?.['id']) - 1;
    }
  }

  /** Returns those of these segments that exist, by id, oldest first. */
  async segmentsOf(bucket: RecordBucket, ids: readonly number[]): Promise<ReadonlyMap<number, NumberedRows>> {
    const heads =
      ids.length === 0 ? [] : await this.#heads(`id IN (${ids.join(', ')}) ORDER BY id`, [bucket]);
    const found = heads.map((head) => this.#rowsOf(head, new Map()));
    await Promise.all(found.map(async (segment) => segment.load?.([], [])));
    return new Map(found.map((segment) => [segment.id, segment]));
  }

  written(order: StoreNewsOrder): MaybePromise<Written> {
    return this.#db.written(order, this);
  }

  async placeOf(key: number): Promise<{ segment: number; index: number } | undefined> {
    const row = await this.#holding(key, 'id, gone, keys');
    if (row === undefined) return undefined;
    const index = unpackKeys(columnBytes(row, 'keys')).indexOf(key);
    return index < Number(row['gone']) ? undefined : { segment: Number(row['id']), index };
  }

  /**
   * Returns a record, or why it is absent. `run` identifies the calling process, which itself knows which of its
   * records are not written yet.
   */
  async find(key: number, run: number): Promise<RecordBytes | AbsentRecord> {
    const row = await this.#holding(key, 'gone, keys, directory, body');
    const found = row && readRecordBytes(row, key, Number(row['gone']));
    return found ?? this.#explain(key, run);
  }

  async notes(kind: string, name?: string): Promise<ReadonlyMap<string, string>> {
    if (!(await this.#db.hasTable('note'))) return new Map();
    const rows = await this.#db.rows(
      `SELECT name, text FROM ${this.#db.schema}note WHERE kind = $1 ${name === undefined ? '' : 'AND name = $2'}
       ORDER BY name`,
      name === undefined ? [kind] : [kind, name],
    );
    return new Map(rows.map((row) => [String(row['name']), String(row['text'])]));
  }

  async processes(): Promise<readonly ProcessAccount[]> {
    const { schema, processes, account, state } = this.#db;
    const rows = await this.#db.rows(
      `SELECT *, ${state} AS state, ${account} FROM ${schema}${processes} ORDER BY started_at DESC LIMIT 1000`,
    );
    return rows
      .filter((row) => Number(row['seen']) > 0)
      .map((row) => toAccount((name) => row[name], this.#db.stateOf(row['state'])));
  }

  async #heads(condition: string, values: readonly unknown[]): Promise<readonly SqlRow[]> {
    return this.#db.rows(
      `SELECT id, records, gone, started_at, closed_at, facts FROM ${this.#db.schema}segment
       WHERE bucket = $1 AND ${condition}`,
      values,
    );
  }

  #rowsOf(head: SqlRow, damage: Damage): NumberedRows {
    const id = Number(head['id']);
    return {
      id,
      startedAt: Number(head['started_at']),
      closedAt: Number(head['closed_at']),
      facts: JSON.parse(String(head['facts'])) as SegmentFacts, // serialized from this type
      from: Number(head['gone']),
      to: Number(head['records']),
      ...this.#db.content(id, damage),
    };
  }

  /** Returns the segment that contains the record of a key. */
  async #holding(key: number, columns: string): Promise<SqlRow | undefined> {
    const { schema, end, segments } = this.#db;
    const [row] = await this.#db.rows(
      `SELECT ${columns} FROM ${segments}
       JOIN (SELECT * FROM ${schema}key_range WHERE start <= $1 ORDER BY start DESC LIMIT 1) AS near ON id = near.segment
       WHERE near.${end} > $2`,
      [key, key],
    );
    return row;
  }

  async #explain(key: number, run: number): Promise<AbsentRecord> {
    const { schema, end, processes, process, state } = this.#db;
    const meta = new Map(
      (await this.#db.rows(`SELECT name, value FROM ${schema}meta`)).map((row) => [
        row['name'],
        row['value'],
      ]),
    );
    const isAside = meta.has('aside');
    if (key < 0 || key >= Number(meta.get('next') ?? 0)) return isAside ? 'set-aside' : 'never';
    const [pruned] = await this.#db.rows(
      `SELECT ${end} AS behind, reason FROM ${schema}pruned WHERE start <= $1 ORDER BY start DESC LIMIT 1`,
      [key],
    );
    if (Number(pruned?.['behind']) > key && isPruneReason(pruned?.['reason'])) return pruned['reason'];
    const [lease] = await this.#db.rows(
      `SELECT ${end} AS behind, ${process} AS owner, ${state} AS state
       FROM ${schema}lease JOIN ${schema}${processes} ON ${processes}.id = ${process}
       WHERE start <= $1 ORDER BY start DESC LIMIT 1`,
      [key],
    );
    if (lease === undefined || Number(lease['behind']) <= key) return isAside ? 'set-aside' : 'pruned';
    const isOther = Number(lease['owner']) !== run;
    return isOther && this.#db.stateOf(lease['state']) === 'running' ? 'unwritten' : 'missing';
  }
}

/** Throws `BlockUnreadable`, for a block that was removed in the meantime. */
export function blockIsGone(): never {
  throw new BlockUnreadable('The block is not there any more.');
}
