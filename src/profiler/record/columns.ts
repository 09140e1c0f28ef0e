import { durationClass } from '../model/profile-totals.js';
import type { ProfileRecord, RecordedLogTotals } from '../model/profile-record.js';
import type { ProfileSummary } from '../model/profile-summary.js';
import { shortPath } from '../words/format.js';
import { breakdownOf } from './time-breakdown.js';
import { findErrorPlace, findQueryPlace } from './find-place.js';
import { pathOfFile, type SourceLoader } from '#errors';

/** A value of a column; null if the record has none. */
export type ColumnValue = string | number | null;

/**
 * Kind of values that a field of the query language accepts. `status`: codes and classes · `count`, `ms`: numbers · `since`,
 * `until`: a point in time · `name`: the entire value · `text`: a part of the value · `has`: one of `hasWords`.
 */
export type FieldKind = 'status' | 'count' | 'ms' | 'since' | 'until' | 'name' | 'text' | 'has';

/** How the query language searches a column. Columns with the same name are searched together. */
export interface ColumnSearch {
  readonly name: string;
  readonly kind: FieldKind;
  /** Example of a term. */
  readonly example: string;
}

/**
 * A column of the list of records. From this table follow the columns of the stores, what is written to them and read from
 * them, what conditions, sorts and groups can name, and the fields of the query language.
 */
export interface ListColumn {
  /** Name in SQL. */
  readonly name: string;
  /** Name in queries and, unless the value is derived from others, path in `ProfileSummary`. */
  readonly field: string;
  /** `time` is in milliseconds since the epoch, with a precision of a microsecond. */
  readonly type: 'text' | 'integer' | 'real' | 'time';
  /** Whether a record may have no value. */
  readonly isNullable: boolean;
  /** Maximum number of characters of a text: what is stored of a longer one ends with `…`. */
  readonly maxLength: number;
  readonly of: (summary: ProfileSummary) => ColumnValue;
  readonly search: readonly ColumnSearch[];
}

/** Short enough for an index of any database. */
const shortLength = 300;
const longLength = 4000;

type Field = Exclude<keyof ProfileSummary, 'breakdown' | 'collected' | 'mark'>;
type SearchEntry = readonly [name: string, kind: FieldKind, example: string];

const anyError: SearchEntry = ['error', 'text', 'error:"not found"'];

/** Columns in the order of the table. */
export const listColumns: readonly ListColumn[] = [
  column('token', 'token', 'text'),
  column('bucket', 'bucket', 'text'),
  column('closed_at', 'closedAt', 'time', closedAt),
  searched(
    column('started_at', 'startedAt', 'time'),
    ['after', 'since', 'after:10m'],
    ['before', 'until', 'before:2026-01-31T12:00'],
  ),
  searched(column('duration_ms', 'durationMs', 'real'), ['duration', 'ms', 'duration:>200ms']),
  column('duration_class', 'durationClass', 'integer', ({ durationMs }) => durationClass(durationMs)),
  column('sequence', 'sequence', 'integer'),
  searched(column('status', 'status', 'integer'), ['status', 'status', 'status:>=500']),
  searched(column('method', 'method', 'text'), ['method', 'name', 'method:POST']),
  searched(long(column('path', 'path', 'text')), ['path', 'text', 'path:/api*']),
  searched(long(column('url', 'url', 'text')), ['url', 'text', 'url:"?page=2"']),
  searched(optional('route', 'route'), ['route', 'name', 'route:blog_*']),
  searched(optional('user_name', 'user'), ['user', 'name', 'user:reader']),
  searched(column('client_address', 'clientAddress', 'text'), ['ip', 'text', 'ip:127.0.0.1']),
  searched(column('state', 'state', 'text'), ['state', 'name', 'state:aborted']),
  searched(optional('trace', 'trace'), ['trace', 'name', 'trace:*']),
  searched(optional('visitor', 'visitor'), ['visitor', 'name', 'visitor:*']),
  searched(optional('error_class', 'errorClass'), ['class', 'name', 'class:TypeError'], anyError),
  searched(long(optional('error_message', 'exception')), anyError),
  searched(optional('error_place', 'errorPlace'), ['place', 'name', 'place:src/blog.ts:12'], anyError),
  searched(optional('query_place', 'queryPlace'), ['query-place', 'name', 'query-place:src/blog.ts:12']),
  searched(column('logs', 'logs', 'integer'), ['logs', 'count', 'logs:>100']),
  searched(column('warnings', 'warnings', 'integer'), ['warnings', 'count', 'warnings:>0']),
  searched(column('errors', 'errors', 'integer'), ['errors', 'count', 'errors:>0']),
  column('app_ms', 'appMs', 'real', ({ breakdown }) => breakdown.app),
  column('db_ms', 'databaseMs', 'real', ({ breakdown }) => breakdown.database),
  column('http_ms', 'httpMs', 'real', ({ breakdown }) => breakdown.http),
  column('rendering_ms', 'renderingMs', 'real', ({ breakdown }) => breakdown.rendering),
  column('unaccounted_ms', 'unaccountedMs', 'real', ({ breakdown }) => breakdown.unaccounted),
  optional('instance', 'instance'),
  optional('version', 'version'),
];

const byField: ReadonlyMap<string, ListColumn> = new Map(listColumns.map((one) => [one.field, one]));

/** Returns the column that a condition, a sort or a group names; undefined if there is none. */
export function findColumn(field: string): ListColumn | undefined {
  return byField.get(field);
}

/** Returns whether a name can be that of a number of a collector: `db.queries`. */
export function isCollectedName(field: string): boolean {
  return field.length <= 100 && /^[\w-]+\.[\w.-]+$/.test(field) && !field.startsWith('mark.');
}

/**
 * Returns the row of a finished record; `numbers` are those that its collectors declare, `sources` map places that were
 * recorded as compiled positions.
 */
export function summaryOf(
  record: ProfileRecord,
  numbers: Readonly<Record<string, number>>,
  sources?: SourceLoader,
): ProfileSummary {
  const { request, response, exception, logTotals, sections, route, config } = record;
  const { trace } = (sections['trace'] ?? {}) as { trace?: { traceId?: string } | null }; // the section of the trace collector
  const outer = exception?.errors.at(-1);
  return {
    token: record.token,
    sequence: record.sequence,
    bucket: record.bucket,
    trace: trace?.traceId ?? null,
    visitor: request.visitor ?? null,
    startedAt: record.startedAt,
    durationMs: record.durationMs,
    breakdown: breakdownOf(record),
    state: record.state,
    method: request.method,
    url: request.url,
    path: request.path,
    status: response?.status ?? 0,
    clientAddress: request.clientAddress,
    route: route?.name ?? null,
    exception: outer?.message ?? null,
    errorClass: outer?.class ?? null,
    errorPlace: exception === null ? null : findErrorPlace(exception),
    queryPlace: queryPlaceOf(sections['db'], sources),
    ...levelsOf(logTotals),
    logs: logTotals.total,
    user: request.user,
    instance: textOf(config['instance']),
    version: textOf(config['version']),
    collected: numbers,
  };
}

function queryPlaceOf(section: unknown, sources: SourceLoader | undefined): string | null {
  const place = findQueryPlace(section);
  if (place === undefined) return null;
  const path = pathOfFile(place.file);
  const original = sources?.findOriginal({ ...place, path }) ?? { ...place, path };
  return `${shortPath(original.path)}:${original.line}`;
}

export const failureLevels: readonly string[] = ['error', 'critical', 'alert', 'emergency'];

/** Returns the number of lines at level `warning` or above, and at level `error` or above. */
export function levelsOf({ byLevel }: RecordedLogTotals): Pick<ProfileSummary, 'warnings' | 'errors'> {
  const errors = failureLevels.reduce((sum, level) => sum + (byLevel[level] ?? 0), 0);
  return { warnings: errors + (byLevel['warning'] ?? 0), errors };
}

/**
 * Returns the numbers of errors and of warnings that were logged besides the exception: that is itself logged, by the
 * framework or the application, and already stands wherever these are counted.
 */
export function countLogged(
  { warnings: all, errors }: Pick<ProfileSummary, 'warnings' | 'errors'>,
  exception: unknown,
): { readonly errors: number; readonly warnings: number } {
  const warnings = all - errors;
  if (exception === null) return { errors, warnings };
  return errors > 0 ? { errors: errors - 1, warnings } : { errors, warnings: Math.max(0, warnings - 1) };
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
  if (type === 'text') return cutText(toStoredText(String(value)), maxLength);
  const number = Number.isFinite(Number(value)) ? Number(value) : 0;
  if (type === 'time') return toMicroseconds(number);
  return type === 'integer' ? Math.trunc(number) : number;
}

/** Rounds milliseconds to whole microseconds. */
export function toMicroseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

/** Returns a text as every database can store it: without NUL and without halves of surrogate pairs. */
export function toStoredText(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text).toWellFormed();
}

function cutText(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).toWellFormed()}…` : text;
}

/** Reads a summary from its stored values by the names of the columns. */
export function readSummary(
  row: Readonly<Record<string, unknown>>,
  collected: Readonly<Record<string, number>>,
): ProfileSummary {
  const found: Record<string, ColumnValue> = {};
  for (const { name, field, type } of listColumns) {
    if (field === 'closedAt' || field === 'durationClass') continue; // derived from others
    const value = row[name];
    // Drivers return large integers as texts.
    const isText = typeof value === 'string';
    if (type === 'text') found[field] = isText ? value : null;
    else if (!isText && typeof value !== 'number') found[field] = null;
    else found[field] = type === 'time' ? toMicroseconds(Number(value)) : Number(value);
  }
  const { appMs, databaseMs, httpMs, renderingMs, unaccountedMs, ...fields } = found;
  const parts = {
    app: Number(appMs),
    database: Number(databaseMs),
    http: Number(httpMs),
    rendering: Number(renderingMs),
    unaccounted: Number(unaccountedMs),
  };
  const known = Object.values(parts).reduce((sum, ms) => sum + ms, 0);
  const framework = Math.max(0, Number(fields['durationMs']) - known);
  const whole: Readonly<Record<string, unknown>> = {
    ...fields,
    breakdown: { framework, ...parts },
    collected,
  };
  return whole as ProfileSummary & typeof whole; // the columns are its fields
}

function column(name: string, field: Field, type: ListColumn['type']): ListColumn;
function column(name: string, field: string, type: ListColumn['type'], of: ListColumn['of']): ListColumn;
function column(
  name: string,
  field: string,
  type: ListColumn['type'],
  of: ListColumn['of'] = (summary) => summary[field as Field], // by the first overload
): ListColumn {
  return { name, field, type, isNullable: false, maxLength: shortLength, of, search: [] };
}

function optional(name: string, field: Field): ListColumn {
  return { ...column(name, field, 'text'), isNullable: true };
}

function long(one: ListColumn): ListColumn {
  return { ...one, maxLength: longLength };
}

function searched(one: ListColumn, ...entries: readonly SearchEntry[]): ListColumn {
  return { ...one, search: entries.map(([name, kind, example]) => ({ name, kind, example })) };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
