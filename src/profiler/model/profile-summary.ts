import { safely } from '#core/coded-error';
import type { SourceLoader } from '#core/errors';
import { shorten } from './formatting.js';
import { findQueryLocation } from './find-location.js';
import { findGraphqlError, findOperations } from './graphql-facts.js';
import { findRecordedError, fingerprintOf, originalLocationOf } from './recorded-error.js';
import type {
  ProfileRecord,
  RecordOrigin,
  RecordedLog,
  RecordedLogTotals,
  StoredFinding,
} from './profile-record.js';
import { type TimeBreakdown, timeCategories, breakdownOf } from './time-breakdown.js';
import type { RecordMark } from './record-lookup.js';
import type { DataOf, Shape } from './shape.js';

/**
 * Kind of values accepted by a field in the query language. `status`: codes and classes · `count`, `ms`: numbers ·
 * `since`, `until`: a point in time · `name`: the entire value · `text`: a part of the value · `has`: one of `hasWords`
 * · `finding`: the kind of a finding.
 */
export type FieldKind = 'status' | 'count' | 'ms' | 'since' | 'until' | 'name' | 'text' | 'has' | 'finding';

/**
 * A field of the list, which declares its type and JSON Schema, its column in the stores, how queries find it, and
 * where it is shown.
 */
export interface ListField {
  readonly shape: Shape;
  /** Returns its value; `sources` maps compiled positions to the sources. */
  readonly of: (record: ProfileRecord, sources?: SourceLoader) => string | number | null;
  /** Name in SQL, if it differs from the field's name in snake case. */
  readonly column?: string;
  /** Allows texts of 4,000 characters; otherwise 300, short enough for an index in any database. */
  readonly isLong?: true;
  /** Query fields that search it, by an example term. Columns with the same query field are searched together. */
  readonly search?: Readonly<Record<string, FieldKind>>;
  /** Heading under which the list (if there is room) and `lookback records` (if a row has a value) show it as text. */
  readonly label?: string;
}

type Whole = ProfileRecord; // short, so that most fields fit on one line
type Text = string | null;

/** The fields, in the order of tables and forms. Add a field here, and nowhere else. */
const declared = {
  token: { shape: 'token', of: (r: Whole): string => r.token },
  origin: { shape: '=app|profiler', of: (r: Whole): RecordOrigin => r.origin },
  sequence: { shape: 'count', of: (r: Whole): number => r.sequence },
  // 0 if no response was sent.
  status: {
    shape: 'count',
    of: (r: Whole): number => r.response?.status ?? 0,
    search: { 'status:>=500': 'status' },
  },
  method: { shape: 'text', of: (r: Whole): string => r.request.method, search: { 'method:POST': 'name' } },
  // Path as sent.
  path: {
    shape: 'text',
    of: (r: Whole): string => r.request.path,
    isLong: true,
    search: { 'path:/api*': 'text' },
  },
  // Absolute URL, including the query.
  url: {
    shape: 'text',
    of: (r: Whole): string => r.request.url,
    isLong: true,
    search: { 'url:"?page=2"': 'text' },
  },
  // Route name; null if none matched. Followed by the GraphQL operations, which share a route.
  route: {
    shape: ['?', 'text'],
    of: (r: Whole): Text => routeOf(r),
    search: { 'route:blog_*': 'name' },
  },
  user: {
    shape: ['?', 'text'],
    of: (r: Whole): Text => r.request.user,
    column: 'user_name',
    search: { 'user:reader': 'name' },
    label: 'User',
  },
  clientAddress: {
    shape: 'text',
    of: (r: Whole): string => r.request.clientAddress,
    search: { 'ip:127.0.0.1': 'text' },
  },
  state: {
    shape: '=complete|unfinished|aborted',
    of: (r: Whole): Whole['state'] => r.state,
    search: { 'state:aborted': 'name' },
  },
  // The request's trace id (W3C Trace Context).
  trace: { shape: ['?', 'text'], of: (r: Whole): Text => traceIdOf(r), search: { 'trace:*': 'name' } },
  // Hash of the session cookie, comparable within one process only; null without a session cookie.
  visitor: {
    shape: ['?', 'text'],
    of: (r: Whole): Text => r.request.visitor ?? null,
    search: { 'visitor:*': 'name' },
  },
  // Class of the innermost error with an application line; null if nothing was thrown and no GraphQL response has
  // errors.
  errorClass: {
    shape: ['?', 'text'],
    of: (r: Whole): Text =>
      findRecordedError(r)?.class ?? (graphqlErrorOf(r) === undefined ? null : 'GraphQLError'),
    search: { 'class:TypeError': 'name', 'error:"not found"': 'text' },
  },
  // That error's message.
  exception: {
    shape: ['?', 'text'],
    of: (r: Whole): Text => findRecordedError(r)?.message ?? graphqlErrorOf(r) ?? null,
    column: 'error_message',
    isLong: true,
    search: { 'error:"not found"': 'text' },
  },
  // Application line where the error originated (`src/blog.ts:12`).
  errorLocation: {
    shape: ['?', 'text'],
    of: (r: Whole, sources?: SourceLoader): Text => findRecordedError(r, sources)?.location ?? null,
    search: { 'location:src/blog.ts:12': 'name', 'error:"not found"': 'text' },
  },
  // Equal for errors alike in class, location (or else route), and message without its values.
  fingerprint: {
    shape: ['?', 'text'],
    of: (r: Whole, sources?: SourceLoader): Text => errorFingerprintOf(r, sources),
    search: { 'fingerprint:3f2a91c0': 'name' },
  },
  // Application line of the longest query loop or, if there is none, of the slowest slow query.
  queryLocation: {
    shape: ['?', 'text'],
    of: (r: Whole, sources?: SourceLoader): Text => queryLocationOf(r, sources),
    search: { 'query-location:src/blog.ts:12': 'name' },
  },
  // Number of log lines: in total, at level `warning` or above (without Node's own), at level `error` or above.
  logs: { shape: 'count', of: (r: Whole): number => r.logTotals.total, search: { 'logs:>100': 'count' } },
  warnings: {
    shape: 'count',
    of: (r: Whole): number => levelsOf(r.logTotals).warnings,
    search: { 'warnings:>0': 'count' },
  },
  errors: {
    shape: 'count',
    of: (r: Whole): number => levelsOf(r.logTotals).errors,
    search: { 'errors:>0': 'count' },
  },
  // Number of Node's own warnings (deprecations, experimental features), which are not counted above.
  nodeWarnings: {
    shape: 'count',
    of: (r: Whole): number => r.logTotals.nodeWarnings ?? 0,
    search: { 'node-warnings:>0': 'count' },
  },
  // Process that made the record (`host:pid`), and application version; null in older versions' records.
  instance: { shape: ['?', 'text'], of: ({ config }: Whole): Text => textOf(config['instance']) },
  version: { shape: ['?', 'text'], of: ({ config }: Whole): Text => textOf(config['version']) },
  // Milliseconds since the epoch.
  startedAt: {
    shape: 'time',
    of: (r: Whole): number => r.startedAt,
    search: { 'after:10m': 'since', 'before:2026-01-31T12:00': 'until' },
  },
  durationMs: {
    shape: 'number',
    of: (r: Whole): number => r.durationMs,
    search: { 'duration:>200ms': 'ms' },
  },
  // Milliseconds until the response was sent; for a streamed one, until its first byte. A WebSocket opens at once.
  answerMs: {
    shape: 'number',
    of: ({ durationMs, response }: Whole): number =>
      response?.status === 101 ? 0 : Math.min(response?.firstByteMs ?? durationMs, durationMs),
  },
} as const;

type Declared = typeof declared;
type FieldName = keyof Declared;

/** A finding in a list row. */
export type RowFinding = Pick<StoredFinding, 'kind' | 'level' | 'text' | 'location'>;

/** A record's summary: one row in the list. Its fields are described at `declared`. */
export type ProfileSummary = {
  readonly [Name in FieldName]: DataOf<Declared[Name]['shape']>;
} & {
  /** The record's first findings, most important first. */
  readonly findings: readonly RowFinding[];
  /** The duration by kind of work. */
  readonly breakdown: TimeBreakdown;
  /** Numbers declared by sections, by section and name: `db.queries`. */
  readonly collected: Readonly<Record<string, number>>;
  /** The record's pin, with its note; absent if there is none. */
  readonly mark?: RecordMark;
};

/** The declared fields by name, in order. */
export const summaryFields: readonly (readonly [name: FieldName, field: ListField])[] = Object.entries(
  declared satisfies {
    readonly [Name in FieldName]: { of(record: ProfileRecord, sources?: SourceLoader): ProfileSummary[Name] };
  },
) as [FieldName, ListField][]; // the keys of the object above

/** A query language field, with an example term. */
export interface ListTerm {
  readonly name: string;
  readonly kind: FieldKind;
  readonly example: string;
}

/** Returns the query fields that search a column. */
export function termsOf(search: ListField['search'] = {}): ListTerm[] {
  const entries = Object.entries(search);
  return entries.map(([example, kind]) => ({ name: example.split(':', 1).join(), kind, example }));
}

/** The fields that lists show as text, with the first query field that searches each. */
export const labelledFields: readonly {
  readonly name: FieldName;
  readonly label: string;
  readonly term?: string | undefined;
  readonly kind?: FieldKind | undefined;
}[] = summaryFields.flatMap(([name, { label, search }]) => {
  const [{ name: term, kind } = { name: undefined, kind: undefined }] = termsOf(search);
  return label === undefined ? [] : [{ name, label, term, kind }];
});

export const summaryShape: Shape = {
  ...Object.fromEntries(summaryFields.map(([name, { shape }]) => [name, shape])),
  findings: [{ kind: 'text', level: '=error|warn|info', text: 'text', 'location?': 'text' }],
  breakdown: Object.fromEntries(timeCategories.map((kind) => [kind, 'number'])),
  collected: 'numbers',
};

/** Returns a finished record's row. `numbers` are those declared by its sections. */
export function summaryOf(
  record: ProfileRecord,
  numbers: Readonly<Record<string, number>>,
  sources?: SourceLoader,
): ProfileSummary {
  const row: Record<string, unknown> = {
    findings: rowFindings(record.findings),
    breakdown: breakdownOf(record),
    collected: numbers,
  };
  for (const [name, { of }] of summaryFields) {
    try {
      row[name] = of(record, sources);
    } catch {
      row[name] = null; // from an imported file, whose section may have another shape
    }
  }
  return row as ProfileSummary & typeof row; // the fields are declared by these entries
}

/**
 * Limits on a row's findings (number, characters per text, and total JSON characters), so that they fit in a column.
 */
const rowLimits = { count: 6, text: 160, json: 3900 };

function rowFindings(findings: readonly StoredFinding[] = []): readonly RowFinding[] {
  const first = findings.slice(0, rowLimits.count).map(({ kind, level, text, location }): RowFinding => {
    return {
      kind,
      level,
      text: shorten(text, rowLimits.text),
      ...(location === undefined ? {} : { location }),
    };
  });
  while (JSON.stringify(first).length > rowLimits.json) first.pop();
  return first;
}

/** Returns findings as their column stores them; null if there are none. */
export function findingsColumn(findings: readonly StoredFinding[]): string | null {
  const first = rowFindings(findings);
  return first.length === 0 ? null : JSON.stringify(first);
}

/** Reads findings from their column; empty if it is damaged. */
function readFindings(column: unknown): readonly RowFinding[] {
  if (typeof column !== 'string') return [];
  const read: unknown = safely<unknown, undefined>(() => JSON.parse(column), undefined);
  return Array.isArray(read) ? (read as readonly RowFinding[]) : []; // written by this module
}

/** Returns a route's name as shown in lists; null if none matched. */
export function routeOf(record: ProfileRecord): string | null {
  const { route, request } = record;
  const operations = findOperations(record);
  if (operations === undefined) return route?.name ?? null;
  return `${route?.name ?? `${request.method} ${request.path}`} ${operations}`;
}

function errorFingerprintOf(record: ProfileRecord, sources?: SourceLoader): string | null {
  const found = findRecordedError(record, sources);
  if (found !== undefined) return found.fingerprint;
  const message = graphqlErrorOf(record);
  return message === undefined ? null : fingerprintOf('GraphQLError', routeOf(record) ?? '', message);
}

/** Returns a GraphQL error's message if nothing was thrown. */
function graphqlErrorOf(record: ProfileRecord): string | undefined {
  return record.exception === null ? findGraphqlError(record) : undefined;
}

/** In older versions' records, only the collector's section has it. */
function traceIdOf({ request, sections }: ProfileRecord): string | null {
  const { trace } = (sections['trace'] ?? {}) as { trace?: { traceId?: string } | null }; // the trace collector's section
  return request.trace ?? trace?.traceId ?? null;
}

function queryLocationOf({ sections }: ProfileRecord, sources?: SourceLoader): string | null {
  const location = findQueryLocation(sections['db']);
  if (location === undefined) return null;
  return originalLocationOf(location, sources);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export const failureLevels: readonly string[] = ['error', 'critical', 'alert', 'emergency'];

/** Channel of Node's own warnings, which are not the application's. */
export const nodeWarningChannel = 'node';

/** Returns whether a log line is one of Node's own warnings. */
export function isNodeWarning({ level, channel }: Pick<RecordedLog, 'level' | 'channel'>): boolean {
  return channel === nodeWarningChannel && level === 'warning';
}

/** Returns Node's warning count in `logTotals` form. */
export function nodeWarningsOf(count: number): Pick<RecordedLogTotals, 'nodeWarnings'> {
  return count === 0 ? {} : { nodeWarnings: count };
}

/** Counts lines at level `warning` or above, at level `error` or above, and, separately, Node's warnings. */
export function levelsOf({ byLevel, nodeWarnings = 0 }: RecordedLogTotals): {
  readonly warnings: number;
  readonly errors: number;
  readonly nodeWarnings: number;
} {
  const errors = failureLevels.reduce((sum, level) => sum + (byLevel[level] ?? 0), 0);
  return {
    warnings: Math.max(errors, errors + (byLevel['warning'] ?? 0) - nodeWarnings),
    errors,
    nodeWarnings,
  };
}

/** Returns how many errors and warnings were logged, excluding the exception, which is counted separately. */
export function countLogged(
  { warnings: all, errors }: Pick<ProfileSummary, 'warnings' | 'errors'>,
  exception: unknown,
): { readonly errors: number; readonly warnings: number } {
  const warnings = all - errors;
  if (exception === null) return { errors, warnings };
  return errors > 0 ? { errors: errors - 1, warnings } : { errors, warnings: Math.max(0, warnings - 1) };
}

/** A column value; null if the record has none. */
export type ColumnValue = string | number | null;

export const maxInteger: number = 2 ** 31 - 1;

/** A record list column, for a declared field or a derived value. */
export interface ListColumn {
  /** Name in SQL. */
  readonly name: string;
  /** Name in conditions, sorts and groups. */
  readonly field: string;
  /** `time` is in milliseconds since the epoch, with microsecond precision. */
  readonly type: 'text' | 'integer' | 'real' | 'time';
  readonly isNullable: boolean;
  /** Maximum characters in a text; longer ones are stored with a final `…`. */
  readonly maxLength: number;
  readonly of: (summary: ProfileSummary) => ColumnValue;
}

const fieldColumns = summaryFields.map(([field, { shape, column, isLong }]) => {
  return {
    name: column ?? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    field,
    type: shape === 'time' ? shape : shape === 'number' ? 'real' : shape === 'count' ? 'integer' : 'text',
    isNullable: Array.isArray(shape),
    maxLength: isLong === true ? 4000 : 300,
    of: (summary: ProfileSummary) => summary[field],
  } as const;
});

/** The columns: fields, then columns for ordering lists and counting durations, and the parts of a duration. */
export const listColumns: readonly ListColumn[] = [
  ...fieldColumns,
  {
    name: 'findings',
    field: 'findings',
    type: 'text',
    isNullable: true,
    maxLength: 4000,
    of: ({ findings }) => (findings.length === 0 ? null : JSON.stringify(findings)),
  },
  derived('closed_at', 'closedAt', 'time', closedAt),
  derived('duration_class', 'durationClass', 'integer', ({ durationMs }) => durationClass(durationMs)),
  ...timeCategories.map((kind) =>
    derived(`${kind}_ms`, `${kind}Ms`, 'real', ({ breakdown }) => breakdown[kind]),
  ),
];

/** Returns the class of a duration in milliseconds: `⌊8 · log2(ms)⌋`, but at least −200. */
export function durationClass(ms: number): number {
  return ms > 0 ? Math.max(-200, Math.floor(8 * Math.log2(ms))) : -200;
}

function derived(name: string, field: string, type: ListColumn['type'], of: ListColumn['of']): ListColumn {
  return { name, field, type, isNullable: false, maxLength: 0, of };
}

const byField: ReadonlyMap<string, ListColumn> = new Map(listColumns.map((one) => [one.field, one]));

/** Returns the column named by a condition, sort or group; undefined if there is none. */
export function findColumn(field: string): ListColumn | undefined {
  return byField.get(field);
}

/** Returns whether a name is formed like a section number's: `db.queries`. */
export function isCollectedName(field: string): boolean {
  return field.length <= 100 && /^[\w-]+\.[\w.-]+$/.test(field) && !field.startsWith('mark.');
}

/** Returns a summary's values as they are stored, in the order of `listColumns`. */
export function valuesOf(summary: ProfileSummary): ColumnValue[] {
  return listColumns.map((one) => toStored(one, one.of(summary)));
}

/** Returns the end of a request, which orders lists. */
export function closedAt({ startedAt, durationMs }: ProfileSummary): number {
  return startedAt + durationMs;
}

function toStored({ type, maxLength }: ListColumn, value: ColumnValue): ColumnValue {
  if (value === null) return null;
  if (type === 'text') return shorten(toStoredText(String(value)), maxLength);
  const number = Number.isFinite(Number(value)) ? Number(value) : 0;
  if (type === 'time') return Math.round(number * 1000) / 1000;
  return type === 'integer' ? Math.min(Math.trunc(number), maxInteger) : number;
}

/** Returns a text that every database can store: without NUL and lone surrogates. */
export function toStoredText(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text).toWellFormed();
}

/** Reads a summary from stored values by column name. */
export function readSummary(
  row: Readonly<Record<string, unknown>>,
  collected: Readonly<Record<string, number>>,
): ProfileSummary {
  const found: Record<string, unknown> = { collected, findings: readFindings(row['findings']) };
  for (const { name, field, type } of fieldColumns) {
    const value = row[name] ?? null;
    // Drivers return large integers as text.
    if (value === null || type === 'text') found[field] = value;
    else found[field] = Number(value);
  }
  found['breakdown'] = Object.fromEntries(timeCategories.map((kind) => [kind, Number(row[`${kind}_ms`])]));
  return found as ProfileSummary & typeof found; // the columns are its fields
}
