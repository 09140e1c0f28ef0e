import type { Snapshot } from '#core/dump';
import type { CapturedValue } from '../../encoding/encoded-record.js';
import type { OmittedQueries } from './omitted.js';
import { type DbGroup, dbLimits, type DbQuery } from './queries.js';

/** How often one statement must be executed from one call site to count as a loop. */
const minLoopQueries = 3;

export interface ComparedQuery
  extends
    Pick<DbQuery, 'sql' | 'durationMs' | 'callSite' | 'connection'>,
    Partial<Pick<DbQuery, 'rows' | 'isOwn'>> {
  readonly params: readonly { readonly value: Snapshot | CapturedValue }[];
  /** Default: the end of the previous query. */
  readonly startedAt?: number;
}

/**
 * Groups repeated queries: the same statement with the same values (one execution would do, as no statement of the
 * request has changed the table in between), or the same read with
 * different values from one call site (one query for all would do). Queries in a loop are not also listed as
 * duplicates, and batches that read a large result are ignored. `omitted` adds queries of which only counts are known.
 * The slowest group comes first.
 */
export function groupQueries(
  queries: readonly ComparedQuery[],
  omitted: readonly OmittedQueries[] = [],
): DbGroup[] {
  const found = findLoops(queries);
  const inLoops = new Set(found.flat());
  const batches = found.filter((loop) => readsBatches(loop.flatMap((index) => queries[index] ?? [])));
  const loops = found.filter((loop) => !batches.includes(loop)).map((loop) => groupOf('n+1', loop, queries));
  const writesBefore = countWrites(queries);
  const duplicates = collect(queries, (query, index) =>
    isLooked(query) && !inLoops.has(index)
      ? `${questionOf(query, index)}\n${writesBefore(query, index)}`
      : undefined,
  )
    .filter((locations) => locations.length > 1)
    .map((locations) => groupOf('duplicate', locations, queries));
  const rest = omitted.filter((one) => isRead(one.sql));
  const inBatches = new Set(batches.map(([first = 0]) => keyOf(queries[first])));
  const groups = [...loops, ...duplicates].map((group) => {
    const key = keyOf(queries[group.queries[0] ?? 0]);
    return rest
      .filter((one) => keyOf(one) === key && (group.kind === 'n+1' || isSame(one, queries, group)))
      .reduce(withOmitted, group);
  });
  const known = new Set([...groups.map(({ queries: [first = 0] }) => keyOf(queries[first])), ...inBatches]);
  const others = rest
    .filter((one) => one.count >= minLoopQueries && !known.has(keyOf(one)))
    .map(({ isVaried, sql, count, durationMs, callSite }): DbGroup => ({
      kind: isVaried ? 'n+1' : 'duplicate',
      sql: shapeOf(sql),
      count,
      durationMs,
      callSite: callSite[0] ?? null,
      queries: [],
    }));
  return [...groups, ...others].sort((a, b) => b.durationMs - a.durationMs).slice(0, dbLimits.groups);
}

/** Returns a function that counts the earlier writes to tables that a read mentions. */
function countWrites(
  queries: readonly ComparedQuery[],
): (read: Pick<ComparedQuery, 'sql' | 'connection'>, index: number) => number {
  const writes = queries.flatMap(({ sql, connection }, index) => {
    const table = writtenTable(sql);
    return table === undefined ? [] : [{ table, connection, index }];
  });
  return ({ sql, connection }, before) =>
    writes.filter(
      (write) => write.index < before && write.connection === connection && mentions(sql, write.table),
    ).length;
}

const writePattern =
  /^\s{0,100}(?:(?:insert\s+(?:\w+\s+){0,3}into|replace\s+into|update(?:\s+only)?|delete\s+from|merge\s+into|truncate(?:\s+table)?)\s+([\w$.[\]"`]{1,300})|([\w$-]{1,100})\.(?:insert|update|replace|delete|bulkWrite|findOneAnd)\w*\(|(call|exec|execute|do)\b)/i;

/** The table or collection that a statement writes, without schema; empty for a procedure, which may write any. */
function writtenTable(sql: string): string | undefined {
  const [, name, collection, procedure] = writePattern.exec(sql.slice(0, 1000)) ?? [];
  if (procedure !== undefined) return '';
  return collection ?? name?.match(/[\w$]+/g)?.at(-1);
}

function mentions(sql: string, table: string): boolean {
  return sql.toLowerCase().includes(table.toLowerCase());
}

function withOmitted(group: DbGroup, { count, durationMs }: OmittedQueries): DbGroup {
  return { ...group, count: group.count + count, durationMs: group.durationMs + durationMs };
}

/**
 * Returns whether omitted queries repeat a group of duplicates, which is certain only for statements without values.
 */
function isSame(
  { sql, isVaried }: OmittedQueries,
  queries: readonly ComparedQuery[],
  { queries: [first = 0] }: DbGroup,
): boolean {
  return !isVaried && sql === queries[first]?.sql && queries[first].params.length === 0;
}

/** Returns a key for one shape's queries, from one call site, to one database. */
function keyOf(query: Pick<ComparedQuery, 'sql' | 'connection' | 'callSite'> | undefined): string {
  return query === undefined ? '' : `${locationTextOf(query)}\n${query.connection}\n${shapeOf(query.sql)}`;
}

/** Minimum number of rows for a query to count as reading a batch. */
const minBatchRows = 20;

/**
 * Returns whether queries read one large result in batches: each but the last returns many rows, starting where the
 * previous one ended.
 */
function readsBatches(queries: readonly ComparedQuery[]): boolean {
  const sql = queries[0]?.sql ?? '';
  const rows = queries.slice(0, -1).map((query) => query.rows ?? 0);
  if (!/[<>]|\bbetween\b|\boffset\b/i.test(sql) || rows.some((count) => count < minBatchRows)) return false;
  // Otherwise the rows may belong to different parents, such as the newest comments per post: their numbers differ, or
  // the query has an id condition.
  const isLimited = /\b(?:limit|fetch|top)\b/i.test(sql);
  return isLimited ? rows.every((count) => count === rows[0]) : !/[^<>!]=\s*(?:\?|\$|:|@)/.test(sql);
}

function findLoops(queries: readonly ComparedQuery[]): number[][] {
  const questionAt = (index: number): string | undefined => {
    const query = queries[index];
    return query && questionOf(query, index);
  };
  // Filters by call site first, because few queries share one and normalising statements is slow.
  const repeated = collect(queries, (query) => (isLooked(query) ? locationTextOf(query) : undefined))
    .filter((locations) => locations.length >= minLoopQueries)
    .flat();
  if (repeated.length === 0) return [];
  const candidates = new Set(repeated);
  const shapes = new Map<string, string>();
  return collect(queries, (query, index) => {
    if (!candidates.has(index)) return undefined;
    const shape = shapes.get(query.sql) ?? shapeOf(query.sql);
    shapes.set(query.sql, shape);
    return `${locationTextOf(query)}\n${query.connection}\n${shape}`;
  }).filter((locations) => locations.length >= minLoopQueries && new Set(locations.map(questionAt)).size > 1);
}

/** Returns a key made from statement, values and database; unique if any value is incomplete. */
function questionOf({ connection, sql, params }: ComparedQuery, index: number): string {
  return `${connection}\n${sql}\n${params.every(({ value }) => isWhole(value)) ? JSON.stringify(params) : `#${index}`}`;
}

/** Returns whether a value is complete, so that equal values can be compared; false if truncated or redacted. */
function isWhole(value: Snapshot | CapturedValue): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const { type, text, length, entries } = value;
  return type !== 'redacted' && entries === undefined && (length === undefined || length === text?.length);
}

/** Normalises a statement by replacing literals and placeholder lists, which differ between calls. */
export function shapeOf(sql: string): string {
  return sql
    .replace(/'(?:[^']|'')*'/g, '?')
    .replace(/\$\d+/g, '?')
    .replace(/\b\d+(?:\.\d+)?\b/g, '?')
    .replace(/\s+/g, ' ')
    .replace(/\?(?:, ?\?)+/g, '?…')
    .trim();
}

function collect(
  queries: readonly ComparedQuery[],
  keyOf: (query: ComparedQuery, index: number) => string | undefined,
): number[][] {
  const groups = new Map<string, number[]>();
  for (const [index, query] of queries.entries()) {
    const key = keyOf(query, index);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [index]);
    else group.push(index);
  }
  return [...groups.values()];
}

function groupOf(
  kind: DbGroup['kind'],
  locations: readonly number[],
  queries: readonly ComparedQuery[],
): DbGroup {
  const [first = 0] = locations;
  return {
    kind,
    sql: shapeOf(queries[first]?.sql ?? ''),
    count: locations.length,
    durationMs: durationOf(locations.flatMap((index) => queries[index] ?? [])),
    callSite: queries[first]?.callSite[0] ?? null,
    queries: locations,
  };
}

/** Returns how long at least one of the queries ran, in milliseconds; queries may overlap. */
function durationOf(queries: readonly ComparedQuery[]): number {
  let sum = 0;
  let end = 0;
  const ordered = queries.toSorted((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0));
  for (const { startedAt = end, durationMs } of ordered) {
    const alone = Math.min(durationMs, startedAt + durationMs - end);
    sum += Math.max(0, alone);
    end = Math.max(end, startedAt + durationMs);
  }
  return sum;
}

function locationTextOf({ callSite }: Pick<ComparedQuery, 'callSite'>): string {
  const [frame] = callSite;
  return frame === undefined ? '' : `${frame.file}:${frame.line}:${frame.column}`;
}

/** The application cannot change lookback's own statements. */
function isLooked({ sql, isOwn }: ComparedQuery): boolean {
  return isOwn !== true && isRead(sql);
}

function isRead(sql: string): boolean {
  return /^\s*(?:select|with)\b|^[\w$-]{1,100}\.(?:find|findOne|aggregate|countDocuments|distinct)\(/i.test(
    sql,
  );
}
