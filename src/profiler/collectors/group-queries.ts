import type { DbCallSite, DbGroup } from './db-section.js';

/** From how many on the same statement from the same place is a loop that asks one by one. */
const loopFrom = 3;

/** What is compared of a query. */
export interface ComparedQuery {
  readonly statement: { readonly sql: string; readonly shape: string; readonly isReading: boolean };
  readonly durationMs: number;
  readonly callSite: readonly DbCallSite[];
}

/**
 * Finds queries that repeat themselves: the same statement with the same values (asked once would do), and the same
 * reading statement with other values from one place (asked for all at once would do). A query that is part of a loop
 * is not listed as a duplicate again. The dearest group comes first. `valuesOf` gives the values of the query at a
 * place as a text to compare; it is asked only of queries that have one of their shape beside them.
 */
export function groupQueries(
  queries: readonly ComparedQuery[],
  valuesOf: (place: number) => string,
): DbGroup[] {
  const loops: DbGroup[] = [];
  const duplicates: DbGroup[] = [];
  for (const alike of collect(queries.keys(), (place) => readingShape(queries[place]))) {
    if (alike.length === 1) continue;
    const values = new Map(alike.map((place) => [place, valuesOf(place)]));
    const inLoops = new Set<number>();
    for (const places of collect(alike, (place) => placeOf(queries[place]))) {
      if (places.length < loopFrom || new Set(places.map((place) => values.get(place))).size === 1) continue;
      for (const place of places) inLoops.add(place);
      loops.push(groupOf('n+1', places, queries));
    }
    const others = alike.filter((place) => !inLoops.has(place));
    for (const places of collect(others, (place) => `${queries[place]?.statement.sql}\n${values.get(place)}`))
      if (places.length > 1) duplicates.push(groupOf('duplicate', places, queries));
  }
  return [...loops, ...duplicates].sort((a, b) => b.durationMs - a.durationMs);
}

/** Whether a statement only reads, as far as its first word tells. */
export function isReading(sql: string): boolean {
  return /^\s*(?:select|with)\b/i.test(sql);
}

/** A statement without what differs between calls: lists of placeholders and literals. */
export function shapeOf(sql: string): string {
  return sql
    .replace(/'(?:[^']|'')*'/g, '?')
    .replace(/\$\d+/g, '?')
    .replace(/\b\d+(?:\.\d+)?\b/g, '?')
    .replace(/\s+/g, ' ')
    .replace(/\?(?:, ?\?)+/g, '?…')
    .trim();
}

/** Places that have the same key, in the order of the first of each; those without a key are left out. */
function collect(places: Iterable<number>, keyOf: (place: number) => string | undefined): Iterable<number[]> {
  const groups = new Map<string, number[]>();
  for (const place of places) {
    const key = keyOf(place);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [place]);
    else group.push(place);
  }
  return groups.values();
}

function groupOf(
  kind: DbGroup['kind'],
  places: readonly number[],
  queries: readonly ComparedQuery[],
): DbGroup {
  const [first = 0] = places;
  return {
    kind,
    sql: queries[first]?.statement.shape ?? '',
    count: places.length,
    durationMs: places.reduce((sum, place) => sum + (queries[place]?.durationMs ?? 0), 0),
    callSite: queries[first]?.callSite[0] ?? null,
    queries: places,
  };
}

function readingShape(query: ComparedQuery | undefined): string | undefined {
  return query?.statement.isReading === true ? query.statement.shape : undefined;
}

function placeOf(query: ComparedQuery | undefined): string {
  const frame = query?.callSite[0];
  return frame === undefined ? '' : `${frame.file}:${frame.line}:${frame.column}`;
}
