import type { RecordMark } from './record-lookup.js';
import type { DataOf, Shape } from './shape.js';

/** The declaration of a row of the list, from which its type and its JSON Schema follow. */
const declared = {
  token: 'token',
  sequence: 'count',
  bucket: '=app|profiler',
  // Id of the trace that the request belongs to (W3C Trace Context).
  trace: ['?', 'text'],
  // Hash of the session cookie, comparable within one process only; null without a session cookie.
  visitor: ['?', 'text'],
  // Milliseconds since the epoch.
  startedAt: 'number',
  durationMs: 'number',
  // The duration by kind of work.
  breakdown: {
    framework: 'number',
    app: 'number',
    database: 'number',
    http: 'number',
    rendering: 'number',
    unaccounted: 'number',
  },
  state: '=complete|unfinished|aborted',
  method: 'text',
  // Absolute URL, including the query.
  url: 'text',
  // Path as sent.
  path: 'text',
  // 0 if no response was sent.
  status: 'count',
  clientAddress: 'text',
  // Name of the route; null if none matched.
  route: ['?', 'text'],
  // Message of the outermost error; null if nothing was thrown.
  exception: ['?', 'text'],
  // Class of the error, and the place in the application where it originated (`src/blog.ts:12`).
  errorClass: ['?', 'text'],
  errorPlace: ['?', 'text'],
  // Place in the application that ran the longest loop of single queries or, without one, the slowest of the slow queries.
  queryPlace: ['?', 'text'],
  // Number of log lines: at level `warning` or above, at level `error` or above, and in total.
  warnings: 'count',
  errors: 'count',
  logs: 'count',
  user: ['?', 'text'],
  // Process that made the record (`host:pid`) and version of its application; null in records of older versions.
  instance: ['?', 'text'],
  version: ['?', 'text'],
  // Numbers that collectors declare, by section and name: `db.queries`.
  collected: 'numbers',
} as const;

/** Summary of a record: one row of the list. Its fields are described at `declared`. */
export type ProfileSummary = DataOf<typeof declared> & {
  /** The pin of a record, with its note; absent if there is none. */
  readonly mark?: RecordMark;
};

/** The declaration as a shape. */
export const summaryShape: Shape = declared;
