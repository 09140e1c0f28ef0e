import type { Picture } from '#dump';
import type { GivenAs, ReadAs } from '../form/form.js';
import type { SectionPart } from '../model/section-part.js';
import { dbLimits, type DbGroup, type DbQuery, type DbSection } from './db-section.js';
import { groupQueries } from './group-queries.js';

const form = {
  totals: {
    queries: 'count',
    failed: 'count',
    durationMs: 'ms',
    flushes: 'count',
    flushMs: 'ms',
    commits: 'count',
    rollbacks: 'count',
    created: 'count',
    updated: 'count',
    removed: 'count',
  },
  queries: [
    {
      sql: 'word',
      params: [{ name: 'word?', value: 'taken' }],
      // Since the beginning of the request: a query that took longer than the request was there began before it.
      offsetMs: 'offset',
      durationMs: 'ms',
      rows: 'count?',
      connection: 'word',
      error: 'text?',
      callSite: [{ name: 'word?', file: 'word', line: 'count', column: 'count' }],
    },
  ],
  changes: [{ action: 'word', entity: 'word', id: 'text', values: 'taken' }],
} as const;

/** What is kept of a request until its record is written. */
export type KeptDb = GivenAs<typeof form>;
export type KeptQuery = KeptDb['queries'][number];
export type KeptChange = KeptDb['changes'][number];

/** The `db` section. Which queries repeat themselves is found out when it is read. */
export const dbPart: SectionPart = {
  form,
  isClean: true,
  summary: {
    queries: { kind: 'count', of: (data) => (data as KeptDb).totals.queries }, // what DbFacts gave
    durationMs: { kind: 'ms', of: (data) => (data as KeptDb).totals.durationMs }, // what DbFacts gave
  },
  complete: (stored, startedAt): DbSection => {
    const kept = stored as ReadAs<typeof form>; // written by this form
    const queries = kept.queries.map(({ offsetMs, ...rest }) => ({
      ...rest,
      startedAt: startedAt + offsetMs,
    }));
    return { totals: kept.totals, groups: groupsOf(queries), queries, changes: kept.changes };
  },
};

function groupsOf(queries: readonly DbQuery[]): DbGroup[] {
  const compared = queries.map(({ sql, params, durationMs, callSite }, at) => ({
    sql,
    durationMs,
    callSite,
    // Unlike all others where a value is not known whole.
    values: params.some(({ value }) => !isWhole(value)) ? `#${at}` : JSON.stringify(params),
  }));
  return groupQueries(compared).slice(0, dbLimits.groups);
}

/** Whether two values with this picture are the same value: not where it was cut or hidden. */
function isWhole({ type, text, length, entries }: Picture): boolean {
  return type !== 'redacted' && entries === undefined && (length === undefined || length === text?.length);
}
