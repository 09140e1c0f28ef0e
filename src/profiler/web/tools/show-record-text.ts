import { renderSnapshotLine } from '#core/dump';
import { formatBytes, formatMilliseconds } from '../../model/formatting.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { findSection } from '../../sections/define-section.js';
import type { DbSection } from '../../sections/database/queries.js';
import { shapeOf } from '../../sections/database/repeated.js';
import { findingsOf } from '../../sections/findings-of.js';
import { locationTextOf } from '../../sections/finding.js';
import { callsOf } from '../../sections/http-client/findings.js';
import type { LateWork } from '../../encoding/amendments.js';
import { clip, shownPath } from './rows.js';

/** One part of a record as text, with a note on omissions. */
export interface RecordPart {
  readonly lines: readonly string[];
  readonly left?: string;
}

const maxBody = 500;
const maxLines = { db: 12, calls: 10, log: 12 } as const;

/** A record's status, times, user, and findings. */
export function summaryPart(record: ProfileRecord, now: number): RecordPart {
  const { token, request, response, state, durationMs, startedAt, route, controller, exception } = record;
  const status = response?.status ?? 'no response';
  const end = state === 'complete' ? '' : state === 'aborted' ? ' CUT OFF' : ' UNFINISHED';
  const facts = [
    `record ${token}`,
    `${formatMilliseconds(durationMs)}`,
    new Date(startedAt).toISOString(),
    `${Math.max(0, Math.round((now - startedAt) / 1000))} s ago`,
    ...(route === null ? [] : [`route ${route.name ?? 'none matched'}`]),
    ...(controller === null ? [] : [`by ${controller.name}`]),
    ...(request.user === null ? [] : [`user ${request.user}`]),
  ];
  const findings = findingsOf(record).map(({ level, kind = '', text, target }) => {
    return `- ${level} ${kind}: ${text}${target === undefined ? '' : ` [${target.panel}]`}`;
  });
  const near = exception?.status === 404 ? (record.route?.trace?.nearMisses ?? []) : [];
  return {
    lines: [
      `${status}${end} ${request.method} ${request.url}`,
      facts.join(', '),
      ...(findings.length === 0 ? ['No findings.'] : findings),
      ...near.slice(0, 3).map(({ name, path }) => `- near route: ${name} ${path}`),
    ],
  };
}

/** Header fields that determine the response, and how a client treats it. */
const deciding = {
  request:
    'accept accept-language authorization cookie content-type content-length origin referer x-requested-with if-none-match range',
  response:
    'content-type content-length content-encoding location cache-control vary set-cookie retry-after www-authenticate allow access-control-allow-origin access-control-allow-credentials content-language',
} as const;

/** The relevant headers and the beginning of each body. */
export function exchangePart({ request, response }: ProfileRecord): RecordPart {
  const head = (headers: ProfileRecord['request']['headers'], wanted: string): readonly string[] => {
    const names = new Set(wanted.split(' '));
    return headers
      .filter(([name]) => names.has(name.toLowerCase()))
      .map(([name, value]) => `${name}: ${clip(value, 160)}`);
  };
  const body = (of: ProfileRecord['request']['body']): readonly string[] => {
    if (of === null || of.bytes === 0) return [];
    const more = of.cut || of.content.length > maxBody ? ` (of ${formatBytes(of.bytes)})` : '';
    const text =
      of.encoding === 'text' ? of.content.slice(0, maxBody) : `${formatBytes(of.bytes)} of binary data`;
    return [`body${more}: ${text === '' ? `${formatBytes(of.bytes)}, not recorded` : text}`];
  };
  const left = request.headers.length + (response?.headers.length ?? 0);
  return {
    lines: [
      'request',
      ...head(request.headers, deciding.request),
      ...body(request.body),
      'response',
      ...(response === null ? ['none'] : head(response.headers, deciding.response)),
      ...(response === null ? [] : body(response.body)),
    ],
    left: `other headers, of ${left} (parts: request)`,
  };
}

/** A call or query with the number of equal ones. */
interface Repeated {
  readonly text: string;
  readonly outcome: string;
  readonly location: string | undefined;
  readonly index: number;
  count: number;
  ms: number;
}

function countEqual(
  all: readonly Omit<Repeated, 'count'>[],
  keyOf: (one: Omit<Repeated, 'count'>) => string,
): readonly Repeated[] {
  const groups = new Map<string, Repeated>();
  for (const one of all) {
    const known = groups.get(keyOf(one));
    if (known === undefined) groups.set(keyOf(one), { ...one, count: 1 });
    else {
      known.count++;
      known.ms += one.ms;
    }
  }
  return [...groups.values()];
}

function lineOf({ text, outcome, location, index, count, ms }: Repeated): string {
  const times = count === 1 ? '' : `${count}x `;
  const from = location === undefined ? '' : `, from ${location}`;
  return `${index + 1}. ${times}${text} → ${outcome}, ${formatMilliseconds(ms)}${from}`;
}

function partOf(groups: readonly Repeated[], max: number, what: string): RecordPart {
  const left = groups.slice(max);
  return {
    lines: groups.slice(0, max).map(lineOf),
    ...(left.length === 0 ? {} : { left: `${left.length} further ${what}` }),
  };
}

/** The queries, with equal ones counted and the values of the first; and those after the response. */
export function databasePart(record: ProfileRecord): RecordPart {
  const { queries = [] } = findSection<DbSection>(record, 'db', ['queries']) ?? {};
  const all = queries.map(({ sql, params, durationMs, rows, error, callSite }, index) => {
    const values = params.map(({ value }) => clip(renderSnapshotLine(value), 40)).join(', ');
    return {
      shape: shapeOf(sql),
      text: `${clip(sql.replace(/\s+/g, ' ').trim(), 240)}${values === '' ? '' : ` [${clip(values, 160)}]`}`,
      outcome: error ?? (rows === null ? 'done' : `${rows} rows`),
      location: locationTextOf(callSite[0]),
      index,
      ms: durationMs,
    };
  });
  const shapes = new Map(all.map(({ index, shape }) => [index, shape]));
  const groups = countEqual(all, ({ index, location, outcome }) =>
    JSON.stringify([shapes.get(index), location, /^\d+ rows$|^done$/.test(outcome) ? '' : outcome]),
  );
  const { work = [] } = findSection<{ readonly work: readonly LateWork[] }>(record, 'late', ['work']) ?? {};
  const late = work.map(({ kind, text, startMs, callSite }) => {
    const from = locationTextOf(callSite[0]);
    return `after the response: ${kind} ${clip(text.replace(/\s+/g, ' '), 240)}, at ${formatMilliseconds(startMs)}${from === undefined ? '' : `, from ${from}`}`;
  });
  const shown = partOf(groups, maxLines.db, 'groups of queries (parts: db with a larger budget)');
  return { ...shown, lines: [...shown.lines, ...late] };
}

/** The outgoing calls, with equal ones counted. */
export function callsPart(record: ProfileRecord): RecordPart {
  const all = callsOf(record).map(({ method, url, status, error, durationMs, callSite, isOpen }, index) => ({
    text: `${method} ${clip(url, 160)}`,
    outcome: error ?? (status === 0 ? (isOpen ? 'no answer yet' : 'no answer') : String(status)),
    location: locationTextOf(callSite[0]),
    index,
    ms: durationMs,
  }));
  const groups = countEqual(all, ({ text, outcome, location }) => JSON.stringify([text, outcome, location]));
  return partOf(groups, maxLines.calls, 'groups of calls');
}

/** The last log lines; warnings and errors take precedence if there is not enough room. */
export function logPart({ logs, logTotals }: ProfileRecord): RecordPart {
  const isLoud = ({ level }: (typeof logs)[number]): boolean => !['debug', 'info', 'notice'].includes(level);
  const loud = logs.filter(isLoud).slice(-maxLines.log);
  const room = maxLines.log - loud.length;
  const quiet = room === 0 ? [] : logs.filter((line) => !isLoud(line)).slice(-room);
  const shown = logs.filter((line) => loud.includes(line) || quiet.includes(line));
  const lines = shown.map(({ level, channel, message, offsetMs, context }) => {
    const values = context === undefined ? '' : ` ${clip(renderSnapshotLine(context), 160)}`;
    return `${level} ${channel} at ${formatMilliseconds(offsetMs)}: ${clip(message, 240)}${values}`;
  });
  const left = logTotals.total - shown.length;
  return { lines, ...(left > 0 ? { left: `${left} of ${logTotals.total} log lines (tool logs)` } : {}) };
}

/** Returns the parts that a record's findings point to. */
export function defaultParts(record: ProfileRecord): readonly string[] {
  const panels = new Set(findingsOf(record).map(({ target }) => target?.panel));
  const loud = (record.logTotals.byLevel['warning'] ?? 0) + (record.logTotals.byLevel['error'] ?? 0);
  return [
    'summary',
    ...(record.exception === null ? [] : ['error']),
    'exchange',
    ...(panels.has('db') || panels.has('late') ? ['db'] : []),
    ...(panels.has('http') ? ['calls'] : []),
    ...(panels.has('logs') || loud > 0 ? ['log'] : []),
    ...(panels.has('time') ? ['time'] : []),
    ...(panels.has('routing') || (record.route !== null && record.route.name === null) ? ['routing'] : []),
  ];
}

/** Formats a request as a title. */
export function titleOf({ request, response }: ProfileRecord): string {
  return `${response?.status ?? 'no response'} ${request.method} ${shownPath(request.url)}`;
}

/** Shortens Markdown to plain text, without empty lines and escapes. */
export function plainText(markdown: string): string {
  return markdown.replace(/\n{2,}/g, '\n').replaceAll(/\\([|*_<>[\]#`])/g, '$1');
}
