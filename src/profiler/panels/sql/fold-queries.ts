import type { DbQuery } from '../../collectors/db-section.js';
import { shapeOf } from '../../collectors/group-queries.js';

/** Queries of one statement. */
export interface FoldedQueries {
  readonly sql: string;
  readonly first: DbQuery;
  /** Places among the queries of the record. */
  readonly places: readonly number[];
  readonly durationMs: number;
  /** All rows; null where none of them is known. */
  readonly rows: number | null;
  readonly failed: boolean;
  /** Asked more than twice. */
  readonly isGroup: boolean;
}

/** Queries of the same shape on one connection as one, in the order of their first. The shape leaves literals and lists out. */
export function foldQueries(queries: readonly DbQuery[]): readonly FoldedQueries[] {
  const places = new Map<string, number[]>();
  for (const [place, query] of queries.entries()) {
    // A failed query gets its own row, so that it is seen.
    const key = query.error === null ? `${query.connection}\n${shapeOf(query.sql)}` : `failed ${place}`;
    const known = places.get(key);
    if (known === undefined) places.set(key, [place]);
    else known.push(place);
  }
  return [...places.values()].flatMap((members) => {
    const all = members.flatMap((place) => queries[place] ?? []);
    const [first] = all;
    if (first === undefined) return [];
    const rows = all.flatMap((query) => query.rows ?? []);
    return {
      sql: first.sql.replace(/\s+/g, ' ').trim(),
      first,
      places: members,
      durationMs: all.reduce((sum, query) => sum + query.durationMs, 0),
      rows: rows.length === 0 ? null : rows.reduce((sum, count) => sum + count, 0),
      failed: first.error !== null,
      isGroup: members.length > 2,
    };
  });
}
