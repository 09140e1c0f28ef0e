import type { ProfileRecord } from '../../model/profile-record.js';
import type { ProfileReader } from '../site/profile-reader.js';

/** Tokens of the records beside one, in its own bucket. */
export interface Neighbours {
  readonly older: string | undefined;
  readonly newer: string | undefined;
}

const WINDOWS = [1_000, 60_000, 3_600_000, 86_400_000];
const ROWS = 100;

/** The records just before and after this one; undefined where there is none, or none near. */
export async function findNeighbours(reader: ProfileReader, record: ProfileRecord): Promise<Neighbours> {
  return { older: await findOlder(reader, record), newer: await findNewer(reader, record) };
}

async function findOlder(reader: ProfileReader, record: ProfileRecord): Promise<string | undefined> {
  const { rows } = await reader.list({ bucket: record.bucket, end: record.startedAt, limit: ROWS });
  const own = rows.findIndex((row) => row.token === record.token);
  return rows[own + 1]?.token;
}

async function findNewer(reader: ProfileReader, record: ProfileRecord): Promise<string | undefined> {
  // Lists run from new to old, so the next newer record ends a list that begins just after this one.
  for (const window of WINDOWS) {
    const range = { start: record.startedAt, end: record.startedAt + window };
    const { rows, next } = await reader.list({ bucket: record.bucket, ...range, limit: ROWS });
    const own = rows.findIndex((row) => row.token === record.token);
    const newer = (own === -1 ? rows : rows.slice(0, own)).at(-1);
    if (newer !== undefined) return newer.token;
    if (next !== null) return undefined;
  }
  return undefined;
}
