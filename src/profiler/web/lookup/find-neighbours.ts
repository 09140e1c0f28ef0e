import type { ProfileCondition } from '../../model/profile-query.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import type { ProfileReader } from '../site/profiler-site.js';

/** The records next to a record, in the same bucket. */
export interface Neighbours {
  readonly older: ProfileSummary | undefined;
  readonly newer: ProfileSummary | undefined;
  /** Which of the stored requests of its visitor the record is; undefined if the visitor is not known. */
  readonly visit: { readonly visitor: string; readonly place: number; readonly count: number } | undefined;
}

/** Records that began in the same millisecond are read too; among more of them, no neighbour is found. */
const maxRows = 20;

/** Finds the records that began just before and after a record, and its place among the requests of its visitor. */
export async function findNeighbours(reader: ProfileReader, record: ProfileRecord): Promise<Neighbours> {
  const { bucket, startedAt } = record;
  const nextOf = (rows: readonly ProfileSummary[]): ProfileSummary | undefined => {
    const own = rows.findIndex(({ token }) => token === record.token);
    return own === -1 ? undefined : rows[own + 1];
  };
  const [before, after] = [startedBetween(null, startedAt), startedBetween(startedAt, null)];
  const older = await reader.list({ bucket, where: [before], limit: maxRows });
  const newer = await reader.list({
    bucket,
    where: [after],
    limit: maxRows,
    sort: { column: 'startedAt', isAscending: true },
  });
  return { older: nextOf(older.rows), newer: nextOf(newer.rows), visit: await findVisit(reader, record) };
}

async function findVisit(
  reader: ProfileReader,
  { bucket, startedAt, request: { visitor } }: ProfileRecord,
): Promise<Neighbours['visit']> {
  if (visitor === undefined) return undefined;
  const own: ProfileCondition = { columns: ['visitor'], test: { kind: 'is', texts: [visitor] } };
  const count = async (...more: readonly ProfileCondition[]): Promise<number> => {
    const { groups } = await reader.totals({ bucket, where: [own, ...more], isCountOnly: true });
    return groups[0]?.count ?? 0;
  };
  const [all, place] = [await count(), await count(startedBetween(null, startedAt))];
  return place === 0 ? undefined : { visitor, place, count: all };
}

function startedBetween(least: number | null, most: number | null): ProfileCondition {
  return { columns: ['startedAt'], test: { kind: 'numbers', ranges: [[least, most]] } };
}
