import { redactedSnapshot, type Redactor } from '#core/dump';
import type { TimelineEntry } from '../../model/profile-record.js';
import { slowQueryMs } from '../../model/find-location.js';
import { toSnapshot } from '../../encoding/encoded-record.js';
import type { DbInput, DbQuery, DbSection, QueryInput } from './queries.js';
import { cleanTexts, type SectionDefinition, defineSection } from '../define-section.js';
import { cleanOmitted } from './omitted.js';
import { groupQueries, shapeOf } from './repeated.js';
import { isSecretMember, readStatement } from './statements.js';

const maxNameLength = 160;

export const dbDefinition: SectionDefinition = defineSection<DbInput>({
  id: 'db',
  // Excludes lookback's own statements.
  numbers: {
    queries: { kind: 'count', of: ({ totals }) => totals.queries - (totals.own?.queries ?? 0) },
    durationMs: { kind: 'ms', of: ({ totals }) => totals.durationMs - (totals.own?.durationMs ?? 0) },
    repeated: { kind: 'count', of: longestLoop, finding: 'N+1' },
    slow: {
      kind: 'count',
      of: ({ queries }) =>
        queries.filter(({ durationMs, isOwn }) => durationMs >= slowQueryMs && isOwn !== true).length,
      finding: 'slow query',
    },
  },
  timeline({ queries, rest, waits }) {
    const waited = (waits?.list ?? []).map(
      ({ offsetMs, durationMs, inUse, max, isOpen }, at): TimelineEntry => ({
        name: `waited for a connection, ${inUse} of ${max} in use`,
        startMs: offsetMs,
        durationMs,
        category: 'waiting',
        anchor: waitAnchor(at),
        ...(isOpen ? { open: true as const } : {}),
      }),
    );
    const sent = queries.map(({ sql, offsetMs, durationMs, isOpen }, at): TimelineEntry => ({
      name: sql.slice(0, maxNameLength),
      startMs: offsetMs,
      durationMs,
      category: 'database',
      anchor: queryAnchor(at),
      ...(isOpen ? { open: true as const } : {}),
    }));
    const entries = [...waited, ...sent];
    if (rest === null) return entries;
    const { count, offsetMs, durationMs, busyMs } = rest;
    const name = `${count} further queries`;
    return [...entries, { name, startMs: offsetMs, durationMs, busyMs, category: 'database' }];
  },
  steps: {
    rows: 'queries',
    one: () => '1 query',
    all: 'The database',
    combined: '{n} queries combined',
    shapeOf,
  },
  clean: (input, redactor) => ({
    ...input,
    queries: input.queries.map((query) => cleanQuery(query, redactor)),
    ...(input.omitted === undefined ? {} : { omitted: cleanOmitted(input.omitted, redactor) }),
    ...(input.waits === undefined
      ? {}
      : { waits: { ...input.waits, list: cleanTexts(input.waits.list, redactor, ['token']) } }),
    changes: cleanTexts(input.changes, redactor, ['values']),
    unflushed: cleanTexts(input.unflushed, redactor),
  }),
  complete({ totals, queries: stored, changes, unflushed, omitted, waits }, startedAt): DbSection {
    const queries = stored.map(({ offsetMs, params, ...rest }): DbQuery => ({
      ...rest,
      params: params.map(({ name = null, value }) => ({ name, value: toSnapshot(value) })),
      startedAt: startedAt + offsetMs,
    }));
    const list = waits?.list.map(({ offsetMs, ...rest }) => ({ ...rest, startedAt: startedAt + offsetMs }));
    return {
      totals,
      groups: groupQueries(queries, omitted),
      queries,
      changes,
      unflushed,
      ...(waits === undefined || list === undefined ? {} : { waits: { count: waits.count, list } }),
    };
  },
});

/** Redacts a query, and names its values by column. */
function cleanQuery(query: QueryInput, redactor: Redactor): QueryInput {
  const { sql, placeholders } = readStatement(query.sql, redactor);
  const params = query.params.map(({ value }, at) => {
    const { column = null, isSecret = false } = placeholders[at] ?? {};
    if (isSecret || isSecretMember(query.params[at - 1]?.value, redactor))
      return { name: column, value: redactedSnapshot(textIn(value)) };
    return { name: column, value: typeof value === 'string' ? redactor.text(value) : value };
  });
  return { ...cleanTexts(query, redactor, ['sql', 'params']), sql, params };
}

/** A parameter's whole text; undefined if it is not text or was cut. */
function textIn(value: QueryInput['params'][number]['value']): string | undefined {
  const { type, text, length } = toSnapshot(value);
  return type === 'string' && (length ?? 0) <= (text?.length ?? 0) ? text : undefined;
}

/** Returns a query row's `id` by index. */
export function queryAnchor(index: number): string {
  return `query-${index + 1}`;
}

/** Returns a wait row's `id` by index. */
export function waitAnchor(index: number): string {
  return `wait-${index + 1}`;
}

/** Returns the number of queries in the longest loop; 0 if there is none. */
function longestLoop({ queries, omitted }: DbInput): number {
  const loops = groupQueries(queries, omitted).filter(({ kind }) => kind === 'n+1');
  return Math.max(0, ...loops.map(({ count }) => count));
}
