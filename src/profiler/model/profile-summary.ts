import { type TimeBreakdown, timeCategories } from './profile-record.js';
import type { RecordMark } from './record-lookup.js';
import type { DataOf, Shape } from './shape.js';

/**
 * Kind of values that a field of the query language accepts. `status`: codes and classes · `count`, `ms`: numbers · `since`,
 * `until`: a point in time · `name`: the entire value · `text`: a part of the value · `has`: one of `hasWords`.
 */
export type FieldKind = 'status' | 'count' | 'ms' | 'since' | 'until' | 'name' | 'text' | 'has';

/** A field of the list: from it follow its type and JSON Schema, its column in the stores, and how queries find it. */
export interface ListField {
  readonly shape: Shape;
  /** Name in SQL, if it is not that of the field with underscores. */
  readonly column?: string;
  /** Its texts may have 4,000 characters; otherwise 300, short enough for an index of any database. */
  readonly isLong?: true;
  /** Fields of the query language that search it, with an example of a term. Columns of one name are searched together. */
  readonly search?: readonly (readonly [name: string, kind: FieldKind, example: string])[];
}

/** The fields in the order of the table, and of forms. */
const declared = {
  token: { shape: 'token' },
  bucket: { shape: '=app|profiler' },
  sequence: { shape: 'count' },
  // 0 if no response was sent.
  status: { shape: 'count', search: [['status', 'status', 'status:>=500']] },
  method: { shape: 'text', search: [['method', 'name', 'method:POST']] },
  // Path as sent.
  path: { shape: 'text', isLong: true, search: [['path', 'text', 'path:/api*']] },
  // Absolute URL, including the query.
  url: { shape: 'text', isLong: true, search: [['url', 'text', 'url:"?page=2"']] },
  // Name of the route; null if none matched.
  route: { shape: ['?', 'text'], search: [['route', 'name', 'route:blog_*']] },
  user: { shape: ['?', 'text'], column: 'user_name', search: [['user', 'name', 'user:reader']] },
  clientAddress: { shape: 'text', search: [['ip', 'text', 'ip:127.0.0.1']] },
  state: { shape: '=complete|unfinished|aborted', search: [['state', 'name', 'state:aborted']] },
  // Id of the trace that the request belongs to (W3C Trace Context).
  trace: { shape: ['?', 'text'], search: [['trace', 'name', 'trace:*']] },
  // Hash of the session cookie, comparable within one process only; null without a session cookie.
  visitor: { shape: ['?', 'text'], search: [['visitor', 'name', 'visitor:*']] },
  // Class of the outermost error; null if nothing was thrown.
  errorClass: {
    shape: ['?', 'text'],
    search: [
      ['class', 'name', 'class:TypeError'],
      ['error', 'text', 'error:"not found"'],
    ],
  },
  // Message of the outermost error.
  exception: {
    shape: ['?', 'text'],
    column: 'error_message',
    isLong: true,
    search: [['error', 'text', 'error:"not found"']],
  },
  // Place in the application where the error originated (`src/blog.ts:12`).
  errorPlace: {
    shape: ['?', 'text'],
    search: [
      ['place', 'name', 'place:src/blog.ts:12'],
      ['error', 'text', 'error:"not found"'],
    ],
  },
  // Place in the application that ran the longest loop of single queries or, without one, the slowest of the slow queries.
  queryPlace: { shape: ['?', 'text'], search: [['query-place', 'name', 'query-place:src/blog.ts:12']] },
  // Number of log lines: in total, at level `warning` or above, at level `error` or above.
  logs: { shape: 'count', search: [['logs', 'count', 'logs:>100']] },
  warnings: { shape: 'count', search: [['warnings', 'count', 'warnings:>0']] },
  errors: { shape: 'count', search: [['errors', 'count', 'errors:>0']] },
  // Process that made the record (`host:pid`) and version of its application; null in records of older versions.
  instance: { shape: ['?', 'text'] },
  version: { shape: ['?', 'text'] },
  // Milliseconds since the epoch.
  startedAt: {
    shape: 'time',
    search: [
      ['after', 'since', 'after:10m'],
      ['before', 'until', 'before:2026-01-31T12:00'],
    ],
  },
  durationMs: { shape: 'number', search: [['duration', 'ms', 'duration:>200ms']] },
} as const;

type Declared = typeof declared;

/** Summary of a record: one row of the list. Its fields are described at `declared`. */
export type ProfileSummary = {
  readonly [Name in keyof Declared]: DataOf<Declared[Name]['shape']>;
} & {
  /** The duration by kind of work. */
  readonly breakdown: TimeBreakdown;
  /** Numbers that collectors declare, by section and name: `db.queries`. */
  readonly collected: Readonly<Record<string, number>>;
  /** The pin of a record, with its note; absent if there is none. */
  readonly mark?: RecordMark;
};

/** The declared fields by name. */
export const summaryFields: Readonly<Record<keyof Declared, ListField>> = declared;

/** The shape of a summary without its pin. */
export const summaryShape: Shape = {
  ...Object.fromEntries(Object.entries(declared).map(([name, { shape }]) => [name, shape])),
  breakdown: Object.fromEntries(timeCategories.map((kind) => [kind, 'number'])),
  collected: 'numbers',
};
