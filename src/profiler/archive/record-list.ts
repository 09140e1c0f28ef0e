import { findErrorPlace } from '../watch/find-error-place.js';
import { searchSegments } from '../find/search-rows.js';
import { totalRows } from '../find/total-rows.js';
import type { SegmentRows } from '../find/find-rows.js';
import { collectedName, columnsWith, type ColumnValue, type GivenSummary } from '../form/summary-columns.js';
import { SummaryWriter } from '../form/summary-writer.js';
import { breakdownOf } from '../form/time-breakdown.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { ProfileStore, StoreSearch } from '../model/profile-store.js';
import type { SectionPart } from '../model/section-part.js';
import { storeErrors } from '../store/policy/error-codes.js';

type Parts = readonly (readonly [name: string, part: SectionPart])[];

/** A record's key is its token, read as a number. */
interface RecordList extends ProfileStore {
  keyOf(token: string): number | undefined;
  tokenOf(key: number): string;
}

/** Records that are at hand, as a store that is only read: the newest first, each in a segment of its own. */
export function createRecordList(
  records: readonly ProfileRecord[],
  { parts, name }: { readonly parts: Parts; readonly name: string },
): RecordList {
  const refuse = (): Promise<never> =>
    Promise.reject(storeErrors.create('PROFILER_STORE_READ_ONLY', { path: name }));
  const sorted = records.toSorted((a, b) => b.startedAt - a.startedAt || b.sequence - a.sequence);
  const byKey = new Map(sorted.map((record) => [keyOf(record.token), record]));
  const segments = sorted.map((record) => toSegment(record, parts));
  const rows = function* ({ query, before }: Pick<StoreSearch, 'query' | 'before'>): Iterable<SegmentRows> {
    const from = before === undefined ? 0 : sorted.findIndex(({ token }) => keyOf(token) === before) + 1;
    for (const [place, segment] of segments.entries())
      if (place >= from && sorted[place]?.bucket === (query.bucket ?? 'app')) yield segment;
  };
  return {
    keyOf: (token) => (byKey.has(keyOf(token)) ? keyOf(token) : undefined),
    tokenOf: (key) => byKey.get(key)?.token ?? '',
    find: (key) => Promise.resolve(byKey.get(key) ?? 'never'),
    search: (search) => searchSegments(rows(search), search),
    totals: (order) => totalRows(rows(order), order),
    lease: refuse,
    write: refuse,
    prune: refuse,
    tally: refuse,
    close: () => Promise.resolve(),
  };
}

function keyOf(token: string): number {
  return Number.parseInt(token, 16);
}

function toSegment(record: ProfileRecord, parts: Parts): SegmentRows {
  const { config, startedAt, durationMs, token } = record;
  const [instance, version] = [config['instance'], config['version']].map((value) => String(value ?? ''));
  const writer = new SummaryWriter(columnsWith(parts, { instance: instance ?? '', version: version ?? '' }));
  writer.add(summaryOf(record, parts));
  const { directory, facts } = writer.seal(record.bucket);
  const read = (): ReturnType<SegmentRows['read']> => ({ keys: [keyOf(token)], directory });
  return { startedAt, closedAt: startedAt + durationMs, facts, from: 0, to: 1, read };
}

/** The row that the recorder wrote of this record, as far as the record shows. */
function summaryOf(record: ProfileRecord, parts: Parts): GivenSummary {
  const { request, response, exception, logTotals, sections, route, parent } = record;
  const { sequence, startedAt, durationMs, state } = record;
  const breakdown = breakdownOf(record);
  const { trace } = (sections['trace'] ?? {}) as { trace?: { traceId?: string } | null }; // what the trace collector keeps
  const outer = exception?.errors.at(-1);
  const linesOf = (levels: readonly string[]): number =>
    levels.reduce((sum, level) => sum + (logTotals.byLevel[level] ?? 0), 0);
  const failures = ['error', 'critical', 'alert', 'emergency'];
  const summary: Record<string, ColumnValue> & GivenSummary = {
    sequence,
    startedAt,
    durationMs,
    appMs: breakdown.app,
    databaseMs: breakdown.database,
    httpMs: breakdown.http,
    renderingMs: breakdown.rendering,
    state,
    method: request.method,
    origin: request.url.slice(0, request.url.length - request.target.length),
    target: request.target,
    status: response?.status ?? 0,
    clientAddress: request.clientAddress,
    route: route?.name ?? null,
    user: request.user,
    parent: parent ?? null,
    trace: trace?.traceId ?? null,
    visitor: null,
    exception: outer?.message ?? null,
    errorClass: outer?.class ?? null,
    errorPlace: exception === null ? null : findErrorPlace(exception),
    logs: logTotals.total,
    warnings: linesOf(['warning', ...failures]),
    errors: linesOf(failures),
  };
  for (const [section, { summary: fields = {} }] of parts)
    for (const [name, { of }] of Object.entries(fields))
      if (sections[section] !== undefined) summary[collectedName(section, name)] = of(sections[section]);
  return summary;
}
