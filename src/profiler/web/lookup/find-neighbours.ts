import type { ProfileCondition } from '../../model/profile-query.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import type { ProfileReader } from '../site/profiler-site.js';

/** The records next to a record, in the same bucket. */
export interface Neighbours {
  readonly older: ProfileSummary | undefined;
  readonly newer: ProfileSummary | undefined;
}

/** Records that began in the same millisecond are read too; among more of them, no neighbour is found. */
const maxRows = 20;

/** Finds the records that began just before and after a record. */
export async function findNeighbours(reader: ProfileReader, record: ProfileRecord): Promise<Neighbours> {
  const { bucket, startedAt } = record;
  const nextOf = (rows: readonly ProfileSummary[]): ProfileSummary | undefined => {
    const own = rows.findIndex(({ token }) => token === record.token);
    return own === -1 ? undefined : rows[own + 1];
  };
  const [before, after] = [startedBetween(null, startedAt), startedBetween(startedAt, null)];
  const sort = { column: 'startedAt', isAscending: true };
  const [older, newer] = await Promise.all([
    reader.list({ bucket, where: [before], limit: maxRows }),
    reader.list({ bucket, where: [after], limit: maxRows, sort }),
  ]);
  return { older: nextOf(older.rows), newer: nextOf(newer.rows) };
}

function startedBetween(least: number | null, most: number | null): ProfileCondition {
  return { columns: ['startedAt'], test: { kind: 'numbers', ranges: [[least, most]] } };
}
