import type { DbQuery } from '../../collectors/db-section.js';
import { shapeOf } from '../../collectors/group-queries.js';

/** Queries of one statement. */
export interface FoldedQueries {
  readonly sql: string;
  readonly first: DbQuery;
  /** Indexes in the queries of the record. */
  readonly places: readonly number[];
  readonly durationMs: number;
  /** Total number of rows; null if none of the queries reported it. */
  readonly rows: number | null;
  readonly failed: boolean;
  /** The statement was executed more than twice. */
  readonly isGroup: boolean;
}

/** Groups queries of one connection by their shape (the statement without literals and lists), in order of first use. */
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
