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
 * Kind of values that a field of the query language accepts. `status`: codes and classes · `count`, `ms`: numbers · `since`,
 * `until`: a point in time · `name`: the entire value · `text`: a part of the value · `has`: one of `hasWords` ·
 * `finding`: the kind of a finding.
 */
export type FieldKind = 'status' | 'count' | 'ms' | 'since' | 'until' | 'name' | 'text' | 'has' | 'finding';

/** A field of the list: its type and JSON Schema follow, its column in the stores, how queries find it, and where it shows. */
export interface ListField {
  readonly shape: Shape;
  /** Its value; `sources` map places that were recorded as compiled positions. */
  readonly of: (record: ProfileRecord, sources?: SourceLoader) => string | number | null;
  /** Name in SQL, if it is not that of the field with underscores. */
  readonly column?: string;
  /** Its texts may have 4,000 characters; otherwise 300, short enough for an index of any database. */
  readonly isLong?: true;
  /** Fields of the query language that search it: an example of a term of each. Columns of one field are searched together. */
  readonly search?: Readonly<Record<string, FieldKind>>;
  /** Heading under which the list, where there is room, and `lookback records`, if a row has it, show it as text. */
  readonly label?: string;
}

type Whole = ProfileRecord; // short, so that most fields are one line
type Text = string | null;

/** The fields in the order of the table, and of forms. A field is added here, and nowhere else. */
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
  // Name of the route; null if none matched. Operations of GraphQL, which share a route, follow it.
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
  // Id of the trace that the request belongs to (W3C Trace Context).
  trace: { shape: ['?', 'text'], of: (r: Whole): Text => traceIdOf(r), search: { 'trace:*': 'name' } },
  // Hash of the session cookie, comparable within one process only; null without a session cookie.
  visitor: {
    shape: ['?', 'text'],
    of: (r: Whole): Text => r.request.visitor ?? null,
    search: { 'visitor:*': 'name' },
  },
  // Class of the innermost error with a line in the application; null if nothing was thrown, and no answer of GraphQL has errors.
  errorClass: {
    shape: ['?', 'text'],
    of: (r: Whole): Text =>
      findRecordedError(r)?.class ?? (graphqlErrorOf(r) === undefined ? null : 'GraphQLError'),
    search: { 'class:TypeError': 'name', 'error:"not found"': 'text' },
  },
  // Message of that error.
  exception: {
    shape: ['?', 'text'],
    of: (r: Whole): Text => findRecordedError(r)?.message ?? graphqlErrorOf(r) ?? null,
    column: 'error_message',
    isLong: true,
    search: { 'error:"not found"': 'text' },
  },
  // Place in the application where the error originated (`src/blog.ts:12`).
  errorLocation: {
    shape: ['?', 'text'],
    of: (r: Whole, sources?: SourceLoader): Text => findRecordedError(r, sources)?.location ?? null,
    search: { 'place:src/blog.ts:12': 'name', 'error:"not found"': 'text' },
  },
  // The same for errors of one kind: class, location or else route, and message without the values in it.
  fingerprint: {
    shape: ['?', 'text'],
    of: (r: Whole, sources?: SourceLoader): Text => errorFingerprintOf(r, sources),
    search: { 'fingerprint:3f2a91c0': 'name' },
  },
  // Place in the application that ran the longest loop of single queries or, without one, the slowest of the slow queries.
  queryLocation: {
    shape: ['?', 'text'],
    of: (r: Whole, sources?: SourceLoader): Text => queryLocationOf(r, sources),
    search: { 'query-place:src/blog.ts:12': 'name' },
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
  // Number of warnings of Node (deprecations, experimental features), which are not among those above.
  nodeWarnings: {
    shape: 'count',
    of: (r: Whole): number => r.logTotals.nodeWarnings ?? 0,
    search: { 'node-warnings:>0': 'count' },
  },
  // Process that made the record (`host:pid`) and version of its application; null in records of older versions.
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
  // Milliseconds until the answer was sent; of one in parts, until its first byte. A WebSocket is open at once.
  answerMs: {
    shape: 'number',
    of: ({ durationMs, response }: Whole): number =>
      response?.status === 101 ? 0 : Math.min(response?.firstByteMs ?? durationMs, durationMs),
  },
} as const;

type Declared = typeof declared;
type FieldName = keyof Declared;

/** A finding as a row of the list has it. */
export type RowFinding = Pick<StoredFinding, 'kind' | 'level' | 'text' | 'location'>;

/** Summary of a record: one row of the list. Its fields are described at `declared`. */
export type ProfileSummary = {
  readonly [Name in FieldName]: DataOf<Declared[Name]['shape']>;
} & {
  /** The first findings of the record, the most important first. */
  readonly findings: readonly RowFinding[];
  /** The duration by kind of work. */
  readonly breakdown: TimeBreakdown;
  /** Numbers that collectors declare, by section and name: `db.queries`. */
  readonly collected: Readonly<Record<string, number>>;
  /** The pin of a record, with its note; absent if there is none. */
  readonly mark?: RecordMark;
};

/** The declared fields by name, in their order. */
export const summaryFields: readonly (readonly [name: FieldName, field: ListField])[] = Object.entries(
  declared satisfies {
    readonly [Name in FieldName]: { of(record: ProfileRecord, sources?: SourceLoader): ProfileSummary[Name] };
  },
) as [FieldName, ListField][]; // its own names

/** A field of the query language, with an example of a term. */
export interface ListTerm {
  readonly name: string;
  readonly kind: FieldKind;
  readonly example: string;
}

/** The fields of the query language that search a column. */
export function termsOf(search: ListField['search'] = {}): ListTerm[] {
  const entries = Object.entries(search);
  return entries.map(([example, kind]) => ({ name: example.split(':', 1).join(), kind, example }));
}

/** The fields that lists show as text, with the first field of the query language that searches each. */
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

/** Returns the row of a finished record; `numbers` are those that its collectors declare. */
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
      row[name] = null; // of a section of another shape, in a file of records
    }
  }
  return row as ProfileSummary & typeof row; // the fields are declared by these entries
}

/** Findings of a row, characters of the text of one, and of all of them as JSON: what a column may have. */
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

/** Returns findings as the column of a row has them; null if there are none. */
export function findingsColumn(findings: readonly StoredFinding[]): string | null {
  const first = rowFindings(findings);
  return first.length === 0 ? null : JSON.stringify(first);
}

/** Reads findings from their column; one that is damaged has none. */
function readFindings(column: unknown): readonly RowFinding[] {
  if (typeof column !== 'string') return [];
  const read: unknown = safely<unknown, undefined>(() => JSON.parse(column), undefined);
  return Array.isArray(read) ? (read as readonly RowFinding[]) : []; // our own writing
}

/** The name of a route as lists have it; null if none matched. */
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

/** The message of an error of GraphQL where nothing was thrown. */
function graphqlErrorOf(record: ProfileRecord): string | undefined {
  return record.exception === null ? findGraphqlError(record) : undefined;
}

/** Records of older versions have it in the section of its collector alone. */
function traceIdOf({ request, sections }: ProfileRecord): string | null {
  const { trace } = (sections['trace'] ?? {}) as { trace?: { traceId?: string } | null }; // the section of the trace collector
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

/** The channel of warnings of Node, which are not the application's. */
export const nodeWarningChannel = 'node';

/** Whether a log line is a warning of Node. */
export function isNodeWarning({ level, channel }: Pick<RecordedLog, 'level' | 'channel'>): boolean {
  return channel === nodeWarningChannel && level === 'warning';
}

/** Returns the count of Node's warnings as `logTotals` has it. */
export function nodeWarningsOf(count: number): Pick<RecordedLogTotals, 'nodeWarnings'> {
  return count === 0 ? {} : { nodeWarnings: count };
}

/** Returns the number of lines at level `warning` or above and at level `error` or above, and of Node's warnings apart. */
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

/** Returns the numbers of errors and warnings that were logged besides the exception, which is counted as such. */
export function countLogged(
  { warnings: all, errors }: Pick<ProfileSummary, 'warnings' | 'errors'>,
  exception: unknown,
): { readonly errors: number; readonly warnings: number } {
  const warnings = all - errors;
  if (exception === null) return { errors, warnings };
  return errors > 0 ? { errors: errors - 1, warnings } : { errors, warnings: Math.max(0, warnings - 1) };
}

/** A value of a column; null if the record has none. */
export type ColumnValue = string | number | null;

export const maxInteger: number = 2 ** 31 - 1;

/** A column of the list of records: of a declared field, or of a value that follows from others. */
export interface ListColumn {
  /** Name in SQL. */
  readonly name: string;
  /** Name in conditions, sorts and groups. */
  readonly field: string;
  /** `time` is in milliseconds since the epoch, with a precision of a microsecond. */
  readonly type: 'text' | 'integer' | 'real' | 'time';
  readonly isNullable: boolean;
  /** Maximum number of characters of a text: what is stored of a longer one ends with `…`. */
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

/** The columns: those of fields, then those by which lists are ordered and durations counted, and the parts of a duration. */
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

/** Returns the column that a condition, a sort or a group names; undefined if there is none. */
export function findColumn(field: string): ListColumn | undefined {
  return byField.get(field);
}

/** Returns whether a name can be that of a number of a collector: `db.queries`. */
export function isCollectedName(field: string): boolean {
  return field.length <= 100 && /^[\w-]+\.[\w.-]+$/.test(field) && !field.startsWith('mark.');
}

/** Returns the values of a summary in the order of `listColumns`, as they are stored. */
export function valuesOf(summary: ProfileSummary): ColumnValue[] {
  return listColumns.map((one) => toStored(one, one.of(summary)));
}

/** Returns the end of a request, as lists are ordered by it. */
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

/** Returns a text as every database can store it: without NUL and without halves of surrogate pairs. */
export function toStoredText(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text).toWellFormed();
}

/** Reads a summary from its stored values by the names of the columns. */
export function readSummary(
  row: Readonly<Record<string, unknown>>,
  collected: Readonly<Record<string, number>>,
): ProfileSummary {
  const found: Record<string, unknown> = { collected, findings: readFindings(row['findings']) };
  for (const { name, field, type } of fieldColumns) {
    const value = row[name] ?? null;
    // Drivers return large integers as texts.
    if (value === null || type === 'text') found[field] = value;
    else found[field] = Number(value);
  }
  found['breakdown'] = Object.fromEntries(timeCategories.map((kind) => [kind, Number(row[`${kind}_ms`])]));
  return found as ProfileSummary & typeof found; // the columns are its fields
}
