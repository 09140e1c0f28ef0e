import { sortValue, compareRanks } from '../../find/ranks.js';
import { addTotals } from '../../find/total-rows.js';
import { baseColumns, type ColumnValue } from '../../form/summary-columns.js';
import { summaryOf } from '../../form/summary-reader.js';
import type { ProfileSort } from '../../model/profile-query.js';
import type { RecordBucket } from '../../model/profile-record.js';
import type { StoredSummary, StorePage, StoreSearch, StoreTotalsOrder } from '../../model/profile-store.js';
import type { StoreTotals, TotalsQuery } from '../../model/profile-totals.js';
import type { PostgresConnection, PostgresRow, Statements } from './postgres-connection.js';
import { sqlState } from './postgres-failure.js';
import { columnOf } from './postgres-schema.js';
import { type ConditionOptions, sqlConditions, sqlNumber, SqlValues } from './sql-conditions.js';
import { readTotals, totalsOf } from './sql-totals.js';

/** Milliseconds that a search may take. */
const searchMs = 1500;
/** Segments of the first window, and how much larger each next one is. */
const firstWindow = 8;
const windowGrowth = 4;

const columns = ['key', 'bucket', 'collected', ...baseColumns.map(({ name }) => columnOf(name))].join(', ');

/** Segments with `from` < id ≤ `to`. */
interface Window {
  readonly from: string;
  readonly to: string;
}

const newestSegment = '9223372036854775807';

/**
 * Searches newest first through windows of segments that grow, so that what is near the end is found at once whatever there
 * is, and what takes too long ends with a page that says so.
 */
export class PostgresSearch {
  readonly #connection: PostgresConnection;
  readonly #schema: string;
  readonly #hasIcu: boolean;

  constructor(connection: PostgresConnection, schema: string, { hasIcu }: { readonly hasIcu: boolean }) {
    this.#connection = connection;
    this.#schema = schema;
    this.#hasIcu = hasIcu;
  }

  search(search: StoreSearch): Promise<StorePage> {
    const { sort } = search.query;
    return sort === undefined ? this.#searchNewest(search) : this.#searchSorted(search, sort);
  }

  async totals(order: StoreTotalsOrder): Promise<StoreTotals> {
    const { bucket = 'app', withinMs } = order.query;
    let totals: StoreTotals = { groups: [], complete: true };
    const isWhole = await this.#windows(bucket, { withinMs, first: 2 }, async (window, statements) => {
      totals = addTotals(totals, await this.#totalsOf(window, statements, order));
      return true;
    });
    return { ...totals, complete: totals.complete && isWhole };
  }

  /** Summaries of segments, segment by segment in the order of their records. */
  async rowsOf(
    segments: readonly string[],
    query: StoreSearch['query'],
  ): Promise<ReadonlyMap<string, StoredSummary[]>> {
    const sql = new SqlValues();
    const conditions = [
      `segment = ANY(${sql.place(segments)}::bigint[])`,
      ...sqlConditions(query.where ?? [], sql, { hasIcu: this.#hasIcu }),
    ];
    const found = await this.#connection.rows(
      `SELECT segment, ${columns} FROM ${this.#schema}.record WHERE ${conditions.join(' AND ')} ORDER BY segment, place`,
      sql.values,
    );
    const rows = new Map<string, StoredSummary[]>();
    for (const row of found) {
      const segment = String(row['segment']);
      const known = rows.get(segment);
      if (known === undefined) rows.set(segment, [toSummary(row)]);
      else known.push(toSummary(row));
    }
    return rows;
  }

  async #searchNewest(search: StoreSearch): Promise<StorePage> {
    const { query, limit, before } = search;
    const rows: StoredSummary[] = [];
    const start = before === undefined ? undefined : await this.#placeOf(before);
    if (before !== undefined && start === undefined) return { rows, next: null, complete: true };
    let reached = start === undefined ? newestSegment : String(start['segment']);
    const isWhole = await this.#windows(
      query.bucket ?? 'app',
      { start, isOrdered: true },
      async (window, statements) => {
        const { sql, conditions } = this.#conditionsOf(search, window);
        if (start !== undefined)
          conditions.push(
            `(segment, place) < (${sql.place(start['segment'])}::bigint, ${sql.place(start['place'])}::integer)`,
          );
        const found = await statements.rows(
          `SELECT segment, place, ${columns} FROM ${this.#schema}.record WHERE ${conditions.join(' AND ')}
         ORDER BY segment DESC, place DESC LIMIT ${limit + 1 - rows.length}`,
          sql.values,
        );
        for (const row of found) rows.push(toSummary(row));
        reached = window.from;
        return rows.length <= limit;
      },
    );
    if (rows.length > limit)
      return { rows: rows.slice(0, limit), next: rows[limit - 1]?.key ?? null, complete: true };
    return {
      rows,
      next: isWhole ? null : await this.#keyAt(query.bucket ?? 'app', reached),
      complete: isWhole,
    };
  }

  async #searchSorted(search: StoreSearch, sort: ProfileSort): Promise<StorePage> {
    const { limit, behind } = search;
    const direction = sort.isAscending ? 'ASC' : 'DESC';
    let page: { row: StoredSummary; value: number; key: number }[] = [];
    const isWhole = await this.#windows(search.query.bucket ?? 'app', {}, async (window, statements) => {
      const { sql, conditions } = this.#conditionsOf(search, window);
      const value = sort.column === 'durationMs' ? 'duration_ms' : sqlNumber(sort.column, sql);
      if (behind !== undefined) {
        const [at, key] = [
          `${sql.place(behind.value)}::double precision`,
          `${sql.place(behind.key)}::bigint`,
        ];
        conditions.push(
          `(${value} ${sort.isAscending ? '>' : '<'} ${at} OR (${value} = ${at} AND key < ${key}))`,
        );
      }
      const found = await statements.rows(
        `SELECT ${columns} FROM ${this.#schema}.record WHERE ${conditions.join(' AND ')}
         ORDER BY ${value} ${direction}, key DESC LIMIT ${limit + 1}`,
        sql.values,
      );
      const ranked = found
        .map(toSummary)
        .map((row) => ({ row, key: row.key, value: sortValue(row, sort.column) }));
      page = [...page, ...ranked].sort((a, b) => compareRanks(sort, a, b)).slice(0, limit + 1);
      return true;
    });
    const rows = page.slice(0, limit).map(({ row }) => row);
    return { rows, next: page.length > limit ? (rows.at(-1)?.key ?? null) : null, complete: isWhole };
  }

  async #totalsOf(window: Window, statements: Statements, search: StoreTotalsOrder): Promise<StoreTotals> {
    const { sql, conditions } = this.#conditionsOf(search, window);
    const query: TotalsQuery = search.query;
    const text = totalsOf(query, sql, `${this.#schema}.record WHERE ${conditions.join(' AND ')}`);
    return readTotals(query, await statements.rows(text, sql.values));
  }

  #conditionsOf(
    { query, thrownLate, key }: Pick<StoreSearch, 'query' | 'thrownLate' | 'key'>,
    { from, to }: Window,
  ): { sql: SqlValues; conditions: string[] } {
    const sql = new SqlValues();
    const options: ConditionOptions = { hasIcu: this.#hasIcu, thrownLate };
    const conditions = [
      `bucket = ${sql.place(query.bucket ?? 'app')}`,
      `segment > ${sql.place(from)}::bigint AND segment <= ${sql.place(to)}::bigint`,
      ...(key === undefined ? [] : [`key = ${sql.place(key)}::bigint`]),
      ...sqlConditions(query.where ?? [], sql, options),
    ];
    return { sql, conditions };
  }

  /** The oldest record behind a segment: those before it were not looked at. */
  async #keyAt(bucket: RecordBucket, segment: string): Promise<number | null> {
    const [row] = await this.#connection.rows(
      `SELECT key FROM ${this.#schema}.record WHERE segment > $1 AND bucket = $2 ORDER BY segment, place LIMIT 1`,
      [segment, bucket],
    );
    return row === undefined ? null : Number(row['key']);
  }

  async #placeOf(key: number): Promise<PostgresRow | undefined> {
    const [row] = await this.#connection.rows(
      `SELECT segment, place FROM ${this.#schema}.record WHERE key = $1 LIMIT 1`,
      [key],
    );
    return row;
  }

  /** Works window by window, until that gives false. False where the time was over before all was seen. */
  async #windows(
    bucket: RecordBucket,
    {
      start,
      withinMs = searchMs,
      isOrdered = false,
      first = firstWindow,
    }: {
      readonly start?: PostgresRow | undefined;
      readonly withinMs?: number | undefined;
      readonly isOrdered?: boolean;
      readonly first?: number;
    },
    work: (window: Window, statements: Statements) => Promise<boolean>,
  ): Promise<boolean> {
    const end = performance.now() + withinMs;
    let to = start === undefined ? newestSegment : String(start['segment']);
    try {
      return await this.#connection.transaction(async (transaction) => {
        // Without statistics of a young table the planner would sort a whole window rather than read its newest rows.
        const bitmaps = isOrdered ? 'off' : 'on';
        await transaction.rows(
          `BEGIN READ ONLY; SET LOCAL jit = off; SET LOCAL enable_bitmapscan = ${bitmaps}`,
        );
        for (let size = first; ; size *= windowGrowth) {
          const left = Math.floor(end - performance.now());
          if (left < 1) return false;
          const [edge] = await transaction.rows(
            `SET LOCAL statement_timeout = ${left};
             SELECT id FROM ${this.#schema}.segment WHERE bucket = '${bucket}' AND id <= ${to} ORDER BY id DESC OFFSET ${size} LIMIT 1`,
          );
          const from = edge === undefined ? '-1' : String(edge['id']);
          if (!(await work({ from, to }, transaction)) || edge === undefined) return true;
          to = from;
        }
      });
    } catch (error) {
      if (sqlState(error) === '57014') return false; // query_canceled: the statement was stopped by its time-out
      throw error;
    }
  }
}

function toSummary(row: PostgresRow): StoredSummary {
  const collected: unknown = row['collected'];
  return summaryOf(
    (name) => (row[columnOf(name)] ?? null) as ColumnValue, // as they were written
    {
      key: Number(row['key']),
      bucket: row['bucket'] === 'profiler' ? 'profiler' : 'app',
      collected: collected as StoredSummary['collected'], // the same
    },
  );
}
