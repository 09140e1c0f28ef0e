import type { ProfileCondition, ProfileList, ProfileQuery } from '../model/profile-query.js';
import type { ProfileRecord } from '../model/profile-record.js';
import { type ProfileSummary, routeOf } from '../model/profile-summary.js';
import { shorten } from '../model/formatting.js';

/** A record list source: a profiler or an archive. */
export interface RecordList {
  list(query: ProfileQuery): Promise<ProfileList>;
}

/** Maximum route name characters in lists. */
const maxRouteLength = 300;

/**
 * Returns the newest record with the same route and method that began before this one and succeeded: complete, status
 * below 400, and no exception. If the route is unknown, compares the path instead. Undefined if there is none.
 */
export async function findLastGood(
  records: RecordList,
  record: ProfileRecord,
): Promise<ProfileSummary | undefined> {
  return (await searchLastGood(records, record)).row;
}

/** The same, with whether all records were searched: only then does a missing row mean that there is none. */
export function searchLastGood(records: RecordList, record: ProfileRecord): Promise<FoundBefore> {
  return searchBefore(records, record, [
    between('status', 100, 399),
    is('state', 'complete'),
    { columns: ['errorClass'], test: { kind: 'missing' } },
  ]);
}

/** Returns the newest record with the same route and method that began before this one, whether it succeeded or not. */
export async function findPrevious(
  records: RecordList,
  record: ProfileRecord,
): Promise<ProfileSummary | undefined> {
  return (await searchBefore(records, record, [])).row;
}

interface FoundBefore {
  readonly row: ProfileSummary | undefined;
  readonly isComplete: boolean;
}

async function searchBefore(
  records: RecordList,
  record: ProfileRecord,
  conditions: readonly ProfileCondition[],
): Promise<FoundBefore> {
  const { token, startedAt, origin, request } = record;
  const route = routeOf(record);
  const { rows, complete } = await records.list({
    origin,
    where: [
      route === null ? is('path', request.path) : is('route', shorten(route, maxRouteLength)),
      is('method', request.method),
      ...conditions,
      between('startedAt', null, startedAt),
    ],
    limit: 2,
  });
  return { row: rows.find((row) => row.token !== token), isComplete: complete };
}

function is(column: string, text: string): ProfileCondition {
  return { columns: [column], test: { kind: 'is', texts: [text] } };
}

function between(column: string, least: number | null, most: number): ProfileCondition {
  return { columns: [column], test: { kind: 'numbers', ranges: [[least, most]] } };
}

/** Returns whether a request did not succeed: incomplete, a status of 400 or above, or an exception. */
export function hasFailed({ response, state, exception }: ProfileRecord): boolean {
  if (exception !== null && exception.answered === undefined) return true;
  return state !== 'complete' || response === null || response.status >= 400;
}
