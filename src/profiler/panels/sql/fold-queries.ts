import type { DbQuery } from '../../collectors/db-section.js';
import { shapeOf } from '../../collectors/group-queries.js';

/** Queries of one statement. */
export interface FoldedQueries {
  readonly sql: string;
  readonly first: DbQuery;
  /** Indexes in the queries of the record. */
  readonly indexes: readonly number[];
  readonly durationMs: number;
  /** Total number of rows; null if none of the queries reported it. */
  readonly rows: number | null;
  readonly failed: boolean;
  /** The statement was executed more than twice. */
  readonly isGroup: boolean;
}

/** Groups queries of one connection by their shape (the statement without literals and lists), in order of first use. */
export function foldQueries(queries: readonly DbQuery[]): readonly FoldedQueries[] {
  const indexes = new Map<string, number[]>();
  for (const [index, query] of queries.entries()) {
    // A failed query gets its own row, so that it is seen.
    const key = query.error === null ? `${query.connection}\n${shapeOf(query.sql)}` : `failed ${index}`;
    const known = indexes.get(key);
    if (known === undefined) indexes.set(key, [index]);
    else known.push(index);
  }
  return [...indexes.values()].flatMap((members) => {
    const all = members.flatMap((index) => queries[index] ?? []);
    const [first] = all;
    if (first === undefined) return [];
    const rows = all.flatMap((query) => query.rows ?? []);
    return {
      sql: first.sql.replace(/\s+/g, ' ').trim(),
      first,
      indexes: members,
      durationMs: all.reduce((sum, query) => sum + query.durationMs, 0),
      rows: rows.length === 0 ? null : rows.reduce((sum, count) => sum + count, 0),
      failed: first.error !== null,
      isGroup: members.length > 2,
    };
  });
}
