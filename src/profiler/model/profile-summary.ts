import { pathOfFile, type SourceLoader } from '#errors';
import { shortPath } from '../words/format.js';
import { findErrorPlace, findQueryPlace } from './find-place.js';
import { type ProfileRecord, type RecordBucket, type RecordedLogTotals } from './profile-record.js';
import { type TimeBreakdown, timeCategories, breakdownOf } from './time-breakdown.js';
import type { RecordMark } from './record-lookup.js';
import type { DataOf, Shape } from './shape.js';

/**
 * Kind of values that a field of the query language accepts. `status`: codes and classes · `count`, `ms`: numbers · `since`,
 * `until`: a point in time · `name`: the entire value · `text`: a part of the value · `has`: one of `hasWords`.
 */
export type FieldKind = 'status' | 'count' | 'ms' | 'since' | 'until' | 'name' | 'text' | 'has';

/**
 * A field of the list: from it follow its type and JSON Schema, its column in the stores, how queries find it, and where it
 * is shown.
 */
export interface ListField {
  readonly shape: Shape;
  /** Its value; `sources` map places that were recorded as compiled positions. */
  readonly of: (record: ProfileRecord, sources?: SourceLoader) => string | number | null;
  /** Name in SQL, if it is not that of the field with underscores. */
  readonly column?: string;
  /** Its texts may have 4,000 characters; otherwise 300, short enough for an index of any database. */
  readonly isLong?: true;
  /** Fields of the query language that search it, with an example of a term. Columns of one name are searched together. */
  readonly search?: readonly (readonly [name: string, kind: FieldKind, example: string])[];
  /**
   * The list shows it as text under this heading (in windows with room for it), `lookback records` if a row has it. By its first
   * field of the query language, a text links to the rows with the same one, and a number sorts the list.
   */
  readonly label?: string;
}

/** The fields in the order of the table, and of forms. A field is added here, and nowhere else. */
const declared = {
  token: { shape: 'token', of: ({ token }: ProfileRecord): string => token },
  bucket: { shape: '=app|profiler', of: ({ bucket }: ProfileRecord): RecordBucket => bucket },
  sequence: { shape: 'count', of: ({ sequence }: ProfileRecord): number => sequence },
  // 0 if no response was sent.
  status: {
    shape: 'count',
    of: ({ response }: ProfileRecord): number => response?.status ?? 0,
    search: [['status', 'status', 'status:>=500']],
  },
  method: {
    shape: 'text',
    of: ({ request }: ProfileRecord): string => request.method,
    search: [['method', 'name', 'method:POST']],
  },
  // Path as sent.
  path: {
    shape: 'text',
    of: ({ request }: ProfileRecord): string => request.path,
    isLong: true,
    search: [['path', 'text', 'path:/api*']],
  },
  // Absolute URL, including the query.
  url: {
    shape: 'text',
    of: ({ request }: ProfileRecord): string => request.url,
    isLong: true,
    search: [['url', 'text', 'url:"?page=2"']],
  },
  // Name of the route; null if none matched.
  route: {
    shape: ['?', 'text'],
    of: ({ route }: ProfileRecord): string | null => route?.name ?? null,
    search: [['route', 'name', 'route:blog_*']],
  },
  user: {
    shape: ['?', 'text'],
    of: ({ request }: ProfileRecord): string | null => request.user,
    column: 'user_name',
    search: [['user', 'name', 'user:reader']],
    label: 'User',
  },
  clientAddress: {
    shape: 'text',
    of: ({ request }: ProfileRecord): string => request.clientAddress,
    search: [['ip', 'text', 'ip:127.0.0.1']],
  },
  state: {
    shape: '=complete|unfinished|aborted',
    of: ({ state }: ProfileRecord): ProfileRecord['state'] => state,
    search: [['state', 'name', 'state:aborted']],
  },
  // Id of the trace that the request belongs to (W3C Trace Context).
  trace: {
    shape: ['?', 'text'],
    of: (record: ProfileRecord): string | null => traceIdOf(record),
    search: [['trace', 'name', 'trace:*']],
  },
  // Hash of the session cookie, comparable within one process only; null without a session cookie.
  visitor: {
    shape: ['?', 'text'],
    of: ({ request }: ProfileRecord): string | null => request.visitor ?? null,
    search: [['visitor', 'name', 'visitor:*']],
  },
  // Class of the outermost error; null if nothing was thrown.
  errorClass: {
    shape: ['?', 'text'],
    of: ({ exception }: ProfileRecord): string | null => exception?.errors.at(-1)?.class ?? null,
    search: [
      ['class', 'name', 'class:TypeError'],
      ['error', 'text', 'error:"not found"'],
    ],
  },
  // Message of the outermost error.
  exception: {
    shape: ['?', 'text'],
    of: ({ exception }: ProfileRecord): string | null => exception?.errors.at(-1)?.message ?? null,
    column: 'error_message',
    isLong: true,
    search: [['error', 'text', 'error:"not found"']],
  },
  // Place in the application where the error originated (`src/blog.ts:12`).
  errorPlace: {
    shape: ['?', 'text'],
    of: ({ exception }: ProfileRecord): string | null =>
      exception === null ? null : findErrorPlace(exception),
    search: [
      ['place', 'name', 'place:src/blog.ts:12'],
      ['error', 'text', 'error:"not found"'],
    ],
  },
  // Place in the application that ran the longest loop of single queries or, without one, the slowest of the slow queries.
  queryPlace: {
    shape: ['?', 'text'],
    of: (record: ProfileRecord, sources?: SourceLoader): string | null => queryPlaceOf(record, sources),
    search: [['query-place', 'name', 'query-place:src/blog.ts:12']],
  },
  // Number of log lines: in total, at level `warning` or above, at level `error` or above.
  logs: {
    shape: 'count',
    of: ({ logTotals }: ProfileRecord): number => logTotals.total,
    search: [['logs', 'count', 'logs:>100']],
  },
  warnings: {
    shape: 'count',
    of: ({ logTotals }: ProfileRecord): number => levelsOf(logTotals).warnings,
    search: [['warnings', 'count', 'warnings:>0']],
  },
  errors: {
    shape: 'count',
    of: ({ logTotals }: ProfileRecord): number => levelsOf(logTotals).errors,
    search: [['errors', 'count', 'errors:>0']],
  },
  // Process that made the record (`host:pid`) and version of its application; null in records of older versions.
  instance: {
    shape: ['?', 'text'],
    of: ({ config }: ProfileRecord): string | null => textOf(config['instance']),
  },
  version: {
    shape: ['?', 'text'],
    of: ({ config }: ProfileRecord): string | null => textOf(config['version']),
  },
  // Milliseconds since the epoch.
  startedAt: {
    shape: 'time',
    of: ({ startedAt }: ProfileRecord): number => startedAt,
    search: [
      ['after', 'since', 'after:10m'],
      ['before', 'until', 'before:2026-01-31T12:00'],
    ],
  },
  durationMs: {
    shape: 'number',
    of: ({ durationMs }: ProfileRecord): number => durationMs,
    search: [['duration', 'ms', 'duration:>200ms']],
  },
} as const;

type Declared = typeof declared;
type FieldName = keyof Declared;

/** Summary of a record: one row of the list. Its fields are described at `declared`. */
export type ProfileSummary = {
  readonly [Name in FieldName]: DataOf<Declared[Name]['shape']>;
} & {
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

/** The fields that lists show as text, with the first field of the query language that searches each. */
export const labelledFields: readonly {
  readonly name: FieldName;
  readonly label: string;
  readonly term?: string | undefined;
  readonly kind?: FieldKind | undefined;
}[] = summaryFields.flatMap(([name, { label, search }]) => {
  const [term, kind] = search?.[0] ?? [];
  return label === undefined ? [] : [{ name, label, term, kind }];
});

/** The shape of a summary without its pin. */
export const summaryShape: Shape = {
  ...Object.fromEntries(summaryFields.map(([name, { shape }]) => [name, shape])),
  breakdown: Object.fromEntries(timeCategories.map((kind) => [kind, 'number'])),
  collected: 'numbers',
};

/** Returns the row of a finished record; `numbers` are those that its collectors declare. */
export function summaryOf(
  record: ProfileRecord,
  numbers: Readonly<Record<string, number>>,
  sources?: SourceLoader,
): ProfileSummary {
  const row: Record<string, unknown> = { breakdown: breakdownOf(record), collected: numbers };
  for (const [name, { of }] of summaryFields) row[name] = of(record, sources);
  return row as ProfileSummary & typeof row; // the fields are declared by these entries
}

/** Records of older versions have it in the section of its collector alone. */
function traceIdOf({ request, sections }: ProfileRecord): string | null {
  const { trace } = (sections['trace'] ?? {}) as { trace?: { traceId?: string } | null }; // the section of the trace collector
  return request.trace ?? trace?.traceId ?? null;
}

function queryPlaceOf({ sections }: ProfileRecord, sources?: SourceLoader): string | null {
  const place = findQueryPlace(sections['db']);
  if (place === undefined) return null;
  const path = pathOfFile(place.file);
  const original = sources?.findOriginal({ ...place, path }) ?? { ...place, path };
  return `${shortPath(original.path)}:${original.line}`;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export const failureLevels: readonly string[] = ['error', 'critical', 'alert', 'emergency'];

/** Returns the number of lines at level `warning` or above, and at level `error` or above. */
export function levelsOf({ byLevel }: RecordedLogTotals): {
  readonly warnings: number;
  readonly errors: number;
} {
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
