import { findHeader } from '../../model/recorded-message.js';
import type { ProfileCondition, ProfileQuery } from '../../model/profile-query.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import type { ProfileReader } from '../site/profiler-site.js';

/** A request of a visitor; `isFollowed` if it was a redirect to the next one. */
export interface ThreadRow {
  readonly row: ProfileSummary;
  readonly isFollowed: boolean;
}

/** Rows of the records next to a record, in the same bucket. */
export interface Neighbours {
  readonly older: ProfileSummary | undefined;
  readonly newer: ProfileSummary | undefined;
  /** Requests of the same visitor, oldest first, including the record itself; empty if there are no others. */
  readonly thread: readonly ThreadRow[];
}

const windowsMs = [1_000, 60_000, 3_600_000, 86_400_000];
const maxRows = 100;
const threadWindowMs = 3_600_000;

/** Finds the records just before and after a record (undefined if there is none nearby), and its visitor’s requests. */
export async function findNeighbours(reader: ProfileReader, record: ProfileRecord): Promise<Neighbours> {
  const where = [startedBetween(null, record.startedAt)];
  const { rows } = await reader.list({ bucket: record.bucket, where, limit: maxRows });
  const own = rows.findIndex((row) => row.token === record.token);
  return {
    older: rows[own + 1],
    newer: await findNewer(reader, record),
    thread: await findThread(reader, rows[own]),
  };
}

/** Finds the visitor's requests around this one: within an hour, at most three before and three after it. */
async function findThread(
  reader: ProfileReader,
  own: ProfileSummary | undefined,
): Promise<readonly ThreadRow[]> {
  if (own === undefined || own.visitor === null) return [];
  const { rows } = await reader.list({
    bucket: own.bucket,
    where: [
      { columns: ['visitor'], test: { kind: 'is', texts: [own.visitor] } },
      startedBetween(own.startedAt - threadWindowMs, own.startedAt + threadWindowMs),
    ],
    limit: maxRows,
  });
  const inOrder = [...rows].sort((one, other) => one.startedAt - other.startedAt);
  const at = inOrder.findIndex((row) => row.token === own.token);
  if (at === -1 || rows.length === 1) return [];
  const near = inOrder.slice(Math.max(0, at - 3), at + 4);
  return Promise.all(
    near.map(async (row, index) => ({ row, isFollowed: await isFollowed(reader, row, near[index + 1]) })),
  );
}

/** Returns whether a row is a redirect whose Location was requested by a GET within ten seconds. */
async function isFollowed(
  reader: ProfileReader,
  row: ProfileSummary,
  next: ProfileSummary | undefined,
): Promise<boolean> {
  if (row.status < 300 || row.status > 399 || next?.method !== 'GET') return false;
  if (next.startedAt - row.startedAt > 10_000) return false;
  const found = await reader.find(row.token);
  if (found.kind !== 'found') return false;
  const location = findHeader(found.record.response?.headers ?? [], 'location');
  return (
    location !== undefined && URL.canParse(location, row.url) && new URL(location, row.url).href === next.url
  );
}

async function findNewer(reader: ProfileReader, record: ProfileRecord): Promise<ProfileSummary | undefined> {
  const isOwn = (row: ProfileSummary): boolean => row.token === record.token;
  // Lists are sorted newest first, so the next newer record is the last row before this one.
  for (const window of windowsMs) {
    const where = [startedBetween(record.startedAt, record.startedAt + window)];
    const query: ProfileQuery = { bucket: record.bucket, where, limit: maxRows };
    const { rows, next } = await reader.list(query);
    const own = rows.findIndex(isOwn);
    if (own === -1 && next !== null) {
      // More rows than one page: sort the other way to find the next one.
      const oldest = await reader.list({ ...query, sort: { column: 'startedAt', isAscending: true } });
      return oldest.rows[oldest.rows.findIndex(isOwn) + 1];
    }
    const newer = (own === -1 ? rows : rows.slice(0, own)).at(-1);
    if (newer !== undefined) return newer;
  }
  return undefined;
}

function startedBetween(least: number | null, most: number): ProfileCondition {
  return { columns: ['startedAt'], test: { kind: 'numbers', ranges: [[least, most]] } };
}
