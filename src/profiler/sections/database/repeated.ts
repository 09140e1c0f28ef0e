import type { Picture } from '#core/dump';
import type { TakenValue } from '../../encoding/raw-record.js';
import { type DbGroup, dbLimits, type DbQuery } from './queries.js';

/** The same statement executed at least this often from the same place is a loop of single queries. */
const minLoopQueries = 3;

export interface ComparedQuery extends Pick<DbQuery, 'sql' | 'durationMs' | 'callSite' | 'connection'> {
  readonly params: readonly { readonly value: Picture | TakenValue }[];
  /** Default: when the one before ended. */
  readonly startedAt?: number;
}

/**
 * Groups repeated queries: the same statement with the same values (executing it once would do), and the same reading
 * statement with different values from one place (one query for all would do). A query that is part of a loop is not
 * listed as a duplicate again. The slowest group comes first.
 */
export function groupQueries(queries: readonly ComparedQuery[]): DbGroup[] {
  const loops = findLoops(queries).map((places) => groupOf('n+1', places, queries));
  const inLoops = new Set(loops.flatMap((group) => group.queries));
  const duplicates = collect(queries, (query, place) =>
    isRead(query.sql) && !inLoops.has(place) ? questionOf(query, place) : undefined,
  )
    .filter((places) => places.length > 1)
    .map((places) => groupOf('duplicate', places, queries));
  return [...loops, ...duplicates].sort((a, b) => b.durationMs - a.durationMs).slice(0, dbLimits.groups);
}

export function findLoops(queries: readonly ComparedQuery[]): number[][] {
  const questionAt = (place: number): string | undefined => {
    const query = queries[place];
    return query && questionOf(query, place);
  };
  // Filter by place first, because few queries share one and normalising statements is slow.
  const repeated = collect(queries, (query) => (isRead(query.sql) ? placeOf(query) : undefined))
    .filter((places) => places.length >= minLoopQueries)
    .flat();
  if (repeated.length === 0) return [];
  const candidates = new Set(repeated);
  const shapes = new Map<string, string>();
  return collect(queries, (query, place) => {
    if (!candidates.has(place)) return undefined;
    const shape = shapes.get(query.sql) ?? shapeOf(query.sql);
    shapes.set(query.sql, shape);
    return `${placeOf(query)}\n${query.connection}\n${shape}`;
  }).filter((places) => places.length >= minLoopQueries && new Set(places.map(questionAt)).size > 1);
}

/** Returns the statement with its values and its database; unique if a value is not completely known. */
function questionOf({ connection, sql, params }: ComparedQuery, place: number): string {
  return `${connection}\n${sql}\n${params.every(({ value }) => isWhole(value)) ? JSON.stringify(params) : `#${place}`}`;
}

/** Returns whether a value is completely known, so that equal ones are the same value; false if it is truncated or redacted. */
function isWhole(value: Picture | TakenValue): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const { type, text, length, entries } = value;
  return type !== 'redacted' && entries === undefined && (length === undefined || length === text?.length);
}

/** Normalises a statement: replaces literals and lists of placeholders, which differ between calls. */
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
  keyOf: (query: ComparedQuery, place: number) => string | undefined,
): number[][] {
  const groups = new Map<string, number[]>();
  for (const [place, query] of queries.entries()) {
    const key = keyOf(query, place);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [place]);
    else group.push(place);
  }
  return [...groups.values()];
}

function groupOf(
  kind: DbGroup['kind'],
  places: readonly number[],
  queries: readonly ComparedQuery[],
): DbGroup {
  const [first = 0] = places;
  return {
    kind,
    sql: shapeOf(queries[first]?.sql ?? ''),
    count: places.length,
    durationMs: durationOf(places.flatMap((place) => queries[place] ?? [])),
    callSite: queries[first]?.callSite[0] ?? null,
    queries: places,
  };
}

/** Returns the milliseconds during which at least one of the queries ran, since they may run at once. */
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

function placeOf({ callSite }: ComparedQuery): string {
  const [frame] = callSite;
  return frame === undefined ? '' : `${frame.file}:${frame.line}:${frame.column}`;
}

function isRead(sql: string): boolean {
  return /^\s*(?:select|with)\b|^[\w$-]{1,100}\.(?:find|findOne|aggregate|countDocuments|distinct)\(/i.test(
    sql,
  );
}
