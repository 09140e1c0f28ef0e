import { formatBytes, formatMilliseconds } from '../../model/formatting.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { findLastGood, findPrevious } from '../../search/find-last-good.js';
import { findSection } from '../../sections/define-section.js';
import type { DbSection } from '../../sections/database/queries.js';
import { shapeOf } from '../../sections/database/repeated.js';
import { findingsOf } from '../../sections/findings-of.js';
import { callsOf } from '../../sections/http-client/findings.js';
import { clip } from './rows.js';
import { titleOf } from './show-record-text.js';
import type { ToolRecords } from './tool.js';

/** Fields that differ for every response, or that this profiler adds. */
const noise =
  /^(?:date|etag|age|expires|last-modified|server-timing|x-request-id|x-debug-token.*|x-previous-debug-token|traceparent|tracestate|connection|keep-alive|transfer-encoding|content-length|set-cookie|lookback-replay|user-agent|host)$/i;
const maxLines = 12;

/** Differences between two records, in the given order. */
export interface RecordChanges {
  readonly lines: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
}

/** Compares two records by the facts that matter to a reader: end, findings, time, queries, calls, headers, bodies. */
export function compareRecords(one: ProfileRecord, other: ProfileRecord): RecordChanges {
  const [a, b] = [one, other].map(factsOf) as [ReturnType<typeof factsOf>, ReturnType<typeof factsOf>]; // of two
  const gone = a.findings.filter((text) => !b.shapes.has(shapeless(text)));
  const fresh = b.findings.filter((text) => !a.shapes.has(shapeless(text)));
  const queries = countChanges(a.queries, b.queries);
  const calls = countChanges(a.calls, b.calls);
  const fields = [
    ...changedFields('request', one.request.headers, other.request.headers),
    ...changedFields('response', one.response?.headers ?? [], other.response?.headers ?? []),
  ];
  const lines = [
    `1. ${titleOf(one)} ${endOf(one)}, ${formatMilliseconds(one.durationMs)}, record ${one.token}`,
    `2. ${titleOf(other)} ${endOf(other)}, ${formatMilliseconds(other.durationMs)}, record ${other.token}`,
    ...gone.map((text) => `finding only in 1: ${text}`),
    ...fresh.map((text) => `finding only in 2: ${text}`),
    ...(gone.length + fresh.length === 0
      ? [`findings: ${a.findings.length === 0 ? 'none in either' : 'the same'}`]
      : []),
    ...changeOf('queries', a.queryCount, b.queryCount),
    ...queries.slice(0, maxLines).map((line) => `query ${line}`),
    ...changeOf('outgoing calls', a.callCount, b.callCount),
    ...calls.slice(0, maxLines).map((line) => `call ${line}`),
    ...fields.slice(0, maxLines),
    ...bodyChange('request body', one.request.body, other.request.body),
    ...bodyChange('response body', one.response?.body ?? null, other.response?.body ?? null),
  ];
  const side = (record: ProfileRecord, facts: ReturnType<typeof factsOf>) => ({
    token: record.token,
    status: record.response?.status ?? null,
    state: record.state,
    durationMs: record.durationMs,
    queries: facts.queryCount,
    calls: facts.callCount,
  });
  return {
    lines,
    data: {
      first: side(one, a),
      second: side(other, b),
      findingsOnlyInFirst: gone,
      findingsOnlyInSecond: fresh,
    },
  };
}

/** Describes how a request ended. */
export function endOf({ state }: Pick<ProfileRecord, 'state'>): string {
  return state === 'complete' ? 'complete' : state === 'aborted' ? 'CUT OFF' : 'UNFINISHED';
}

function factsOf(record: ProfileRecord) {
  const findings = findingsOf(record)
    .filter(({ kind }) => kind !== 'paused')
    .map(({ kind = '', text }) => `${kind}: ${text}`);
  const db = findSection<DbSection>(record, 'db', ['queries', 'totals']);
  const queries = (db?.queries ?? []).map(({ sql }) => shapeOf(sql).replace(/\s+/g, ' ').trim());
  const calls = callsOf(record).map(
    ({ method, url, status, error }) => `${method} ${url} → ${error ?? status}`,
  );
  return {
    findings,
    shapes: new Set(findings.map(shapeless)),
    queries,
    queryCount: db?.totals.queries ?? 0,
    calls,
    callCount: calls.length,
  };
}

/** Removes measurements from a finding. */
function shapeless(text: string): string {
  return text
    .replaceAll(/[\d.,]{1,40} ?(?:ms|s|µs|B|KiB|MiB)?\b/g, '#')
    .replaceAll(/\b[\da-f]{6,12}\b/g, '#');
}

function changeOf(what: string, before: number, after: number): readonly string[] {
  return before === after ? [] : [`${what}: ${before} in 1, ${after} in 2`];
}

/** Returns the entries whose number differs between two lists, largest difference first. */
function countChanges(one: readonly string[], other: readonly string[]): readonly string[] {
  const counts = new Map<string, [number, number]>();
  for (const [side, list] of [one, other].entries())
    for (const text of list) {
      const known = counts.get(text) ?? [0, 0];
      known[side === 0 ? 0 : 1]++;
      counts.set(text, known);
    }
  return [...counts]
    .filter(([, [a, b]]) => a !== b)
    .toSorted(([, [a, b]], [, [c, d]]) => Math.abs(d - c) - Math.abs(b - a))
    .map(([text, [a, b]]) => `${a}x in 1, ${b}x in 2: ${clip(text, 200)}`);
}

function changedFields(
  what: string,
  one: ProfileRecord['request']['headers'],
  other: ProfileRecord['request']['headers'],
): readonly string[] {
  const read = (headers: typeof one): ReadonlyMap<string, string> =>
    new Map(
      headers.filter(([name]) => !noise.test(name)).map(([name, value]) => [name.toLowerCase(), value]),
    );
  const [a, b] = [read(one), read(other)];
  return [...new Set([...a.keys(), ...b.keys()])]
    .filter((name) => a.get(name) !== b.get(name))
    .map(
      (name) =>
        `${what} ${name}: ${clip(a.get(name) ?? '(none)', 80)} in 1, ${clip(b.get(name) ?? '(none)', 80)} in 2`,
    );
}

function bodyChange(
  what: string,
  one: ProfileRecord['request']['body'],
  other: ProfileRecord['request']['body'],
): readonly string[] {
  const [a, b] = [one?.content ?? '', other?.content ?? ''];
  if (a === b) return [];
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const from = Math.max(0, at - 30);
  const part = (text: string): string =>
    text === '' ? '(none)' : JSON.stringify(text.slice(from, from + 120));
  return [
    `${what}, ${formatBytes(one?.bytes ?? 0)} in 1 and ${formatBytes(other?.bytes ?? 0)} in 2, differs from character ${at}: ${part(a)} in 1, ${part(b)} in 2`,
  ];
}

/** Finds the record to compare with: by token, the last good one of its route, or the previous one. */
export async function findOther(
  records: ToolRecords,
  record: ProfileRecord,
  wanted: string,
): Promise<ProfileRecord | string> {
  const token = await findToken(records, record, wanted);
  if (token === undefined)
    return wanted === 'previous'
      ? 'There is no earlier request of this route.'
      : 'No earlier request of this route succeeded.';
  const found = await records.find(token);
  return found.kind === 'found' ? found.record : `There is no record ${token.slice(0, 20)}.`;
}

async function findToken(
  records: ToolRecords,
  record: ProfileRecord,
  wanted: string,
): Promise<string | undefined> {
  if (wanted === 'last-good') return (await findLastGood(records, record))?.token;
  return wanted === 'previous' ? (await findPrevious(records, record))?.token : wanted;
}
