import { type FactShapes, requestFacts, responseFacts, shapesOf } from './recorded-facts.js';
import type { DataOf, Shape } from './shape.js';
import type { TimeCategory } from './time-breakdown.js';

/** Current record format version; readers reject newer versions. Increment it when adding or removing a field. */
export const recordSchema = 11;

const body = {
  // Encoding of `content`.
  encoding: '=text|base64',
  content: 'text',
  contentType: 'text',
  // Total number of bytes seen.
  bytes: 'count',
  // True if `content` is truncated.
  cut: 'flag',
  // The application did not read the body; it was only read for the record.
  'isUnread?': 'true',
} as const;

/** The request, in addition to its simple facts. */
const ownRequest = {
  method: 'text',
  // Absolute URL composed of scheme, host and target, including the query.
  url: 'text',
  // As sent: path and query, percent-encoding kept.
  target: 'text',
  // Path as sent.
  path: 'text',
  scheme: '=http|https',
  // The Host header; empty if absent.
  host: 'text',
  // Remote end of the connection.
  peer: { address: 'text', port: 'count' },
  headers: 'pairs',
  // Names in order; values are redacted.
  cookies: 'pairs',
  // Decoded parameters, in order.
  query: 'pairs',
  // Null if no body was read.
  body: ['?', body as typeof body], // named for the declarations
  // The body parsed as form data or JSON; null if it is neither or was truncated.
  parsed: ['?', { format: '=form|json', value: 'snapshot' }],
  // Hash of the session cookie, which groups a visitor's requests. Absent for requests without one.
  'visitor?': 'text',
} as const;

/** The response, in addition to its simple facts. */
const ownResponse = {
  headers: 'pairs',
  cookies: [
    {
      name: 'text',
      value: 'text',
      // `Path`, `HttpOnly` …; the value is empty for attributes without one.
      attributes: 'pairs',
    },
  ],
  // Beginning of the body; null if there was none or it was not kept.
  body: ['?', body as typeof body], // named for the declarations
} as const;

type RequestShape = typeof ownRequest & FactShapes<typeof requestFacts>;
type ResponseShape = typeof ownResponse & FactShapes<typeof responseFacts>;

const request: RequestShape = { ...ownRequest, ...shapesOf(requestFacts) };
const response: ResponseShape = { ...ownResponse, ...shapesOf(responseFacts) };

/**
 * Declares a record; its type, the published JSON Schema and the validation of imported files are derived from it. Simple facts about
 * request and response are declared in `recorded-facts.ts`; any other field is declared here, and filled where the record is made.
 */
const declared = {
  // Record format version.
  schema: 'count',
  // Name of the record: lowercase hexadecimal, at least six characters.
  token: 'token',
  // Increases with each record in a process; orders records whose timestamps are equal or unreliable.
  sequence: 'count',
  origin: '=app|profiler',
  // Milliseconds since the epoch.
  startedAt: 'number',
  durationMs: 'number',
  // `unfinished` while the request is in flight (or if the process ended during it), `aborted` if the client
  // disconnected.
  state: '=complete|unfinished|aborted',
  request: request as RequestShape, // named for the declarations
  // The response as sent to the client; null if nothing has been sent.
  response: ['?', response as ResponseShape], // named for the declarations
  // Null if routing was not reached.
  route: [
    '?',
    {
      // Null if no route matched.
      name: ['?', 'text'],
      // The path as declared.
      path: ['?', 'text'],
      parameters: [{ name: 'text', value: 'snapshot' }],
      // Why each route did or did not match; null if no trace was taken (`limits` then contains an entry).
      trace: ['?', 'trace'],
      // Methods supported by the path, for a 405.
      allow: ['text'],
    },
  ],
  // Null if no controller was called.
  controller: [
    '?',
    {
      // `ArticleController.show`.
      name: 'text',
      file: ['?', 'text'],
      line: ['?', 'count'],
      // The arguments as they were when the controller was called.
      arguments: [{ name: 'text', value: 'snapshot' }],
    },
  ],
  events: [
    {
      event: 'text',
      startMs: 'number',
      durationMs: 'number',
      listeners: [
        {
          name: 'text',
          // Where the application added the listener; absent for framework and library listeners.
          'location?': { file: 'text', line: 'count', column: 'count' },
          priority: 'number',
          startMs: 'number',
          durationMs: 'number',
          // The listener produced a response, so later listeners were not called.
          stopped: 'flag',
          // The listener threw.
          failed: 'flag',
        },
      ],
      // Listeners that this dispatch did not reach; the last dispatch also includes listeners of events never
      // dispatched.
      'notCalled?': [
        {
          event: 'text',
          name: 'text',
          'location?': { file: 'text', line: 'count', column: 'count' },
          priority: 'number',
          why: 'text',
        },
      ],
    },
  ],
  // The first and last log lines; `logTotals` describes the omitted ones.
  logs: [
    {
      // Milliseconds since the epoch.
      time: 'number',
      // On the same clock as `timeline`.
      offsetMs: 'number',
      level: 'text',
      channel: 'text',
      message: 'text',
      // Absent if the log call had no context.
      'context?': 'snapshot',
    },
  ],
  logTotals: {
    total: 'count',
    // Number of lines per level; unused levels are absent.
    byLevel: 'numbers',
    // Number of omitted lines. They form one gap, after the first `omittedAfter` entries of `logs`.
    omitted: 'count',
    omittedAfter: 'count',
    // Number of lines that are Node's own warnings (level `warning`, channel `node`). Absent if there are none.
    'nodeWarnings?': 'count',
  },
  exception: ['?', 'report'],
  timeline: [
    {
      name: 'text',
      // `stage`, `listener`, `controller`, a framework adapter's category, or the `TimeCategory` reported by a section.
      category: 'text',
      startMs: 'number',
      durationMs: 'number',
      // For a span that combines several: the sum of their durations, without the gaps.
      'busyMs?': 'number',
      'detail?': 'text',
      // The section that reported the span, and its row's `id` in the section's panel.
      'section?': 'text',
      'anchor?': 'text',
      // The span did not end while the request was being recorded.
      'open?': 'true',
    },
  ],
  runtime: {
    // Bytes.
    memory: { rss: 'number', heapUsed: 'number', heapTotal: 'number', external: 'number' },
    // Event-loop delay over the last second (mean and maximum), and the share of time the loop was busy (0–1).
    eventLoop: { meanDelayMs: 'number', maxDelayMs: 'number', utilization: 'number' },
    // The sample's age when the request ended, in milliseconds.
    sampledMsAgo: 'number',
  },
  // Environment, versions and settings in the process that handled the request.
  config: 'settings',
  // The known libraries found among the loaded modules when the record was written, by name; not those in a bundle.
  // Absent if they were not looked for.
  'libraries?': [
    {
      name: 'text',
      version: 'text',
      // Absent for a dependency that is an ECMAScript module: Node does not report whether the program has loaded it.
      'isLoaded?': 'true',
      // Its work is recorded without a call from the application.
      isRecorded: 'flag',
      // For libraries that are not recorded: the data they would contribute, and the reason.
      'records?': 'text',
      'why?': 'text',
    },
  ],
  // Section data (db, security, translation …) by id.
  sections: 'object',
  // Notable facts, ranked by what they explain. Absent if there are none.
  'findings?': [
    {
      // The panel, or its section, that shows more, and a row's `id` in it.
      section: 'text',
      'anchor?': 'text',
      // `n+1`, `not-awaited` …; a custom section's id.
      kind: 'text',
      level: '=error|warn|info',
      text: 'text',
      // The responsible application line: `src/blog.ts:12`.
      'location?': 'text',
      // Milliseconds of the request that it explains.
      'explainsMs?': 'number',
    },
  ],
  // Data truncated by limits; empty if everything was kept.
  limits: [
    {
      // `logs`, `request body`, `listeners`, `routing trace` …
      what: 'text',
      kept: 'number',
      total: 'number',
      limit: 'number',
    },
  ],
  cost: {
    // Milliseconds spent on the record after the response, on the thread that handled the request.
    recordMs: 'number',
    // Record size before compression.
    bytes: 'number',
  },
} as const;

/**
 * One request's record, from its first to its last byte: plain JSON data, bounded and without secrets. Times are in
 * milliseconds; `startMs` and `offsetMs` are relative to the start of the request. Its fields are described at
 * `declared`.
 */
export type ProfileRecord = DataOf<typeof declared>;

export const recordShape: Shape = declared;

/** The redaction marks' key name in `config`. Only marks with the same key can be compared. */
export const markKeyFact = 'redaction key';

/** Kind of request: to the application, or to the profiler's own pages. */
export type RecordOrigin = ProfileRecord['origin'];
/** Header fields in their original order and spelling, with the values of secret names redacted. */
export type RecordedHeaders = DataOf<'pairs'>;
export type RecordedRequest = ProfileRecord['request'];
export type RecordedResponse = NonNullable<ProfileRecord['response']>;
/** Beginning of a body, up to a limit. The content is empty, and marked as cut, for types that are not recorded. */
export type RecordedBody = NonNullable<RecordedRequest['body']>;
/** A Set-Cookie field, with its value redacted and its attributes as sent. */
export type RecordedCookie = RecordedResponse['cookies'][number];
export type RecordedRoute = NonNullable<ProfileRecord['route']>;
export type RecordedController = NonNullable<ProfileRecord['controller']>;
/** One dispatch of a lifecycle event, with the listeners called, in call order. */
export type RecordedEvent = ProfileRecord['events'][number];
export type RecordedListener = RecordedEvent['listeners'][number];
export type RecordedLog = ProfileRecord['logs'][number];
/** Log totals, including the lines omitted from `logs`. */
export type RecordedLogTotals = ProfileRecord['logTotals'];
/** A time span: a stage, a listener, the controller, or a span reported by a section (query, call, rendering …). */
export type RecordedSpan = ProfileRecord['timeline'][number];
/** A notable fact about a request, found when its record was written. */
export type StoredFinding = NonNullable<ProfileRecord['findings']>[number];
export type RecordedLimit = ProfileRecord['limits'][number];

/** Returns the first value of a field. `wanted` is its lowercase name. */
export function findHeader(headers: RecordedHeaders, wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/**
 * A time span reported by a section. `anchor` is the `id` of the row in the section's panel that shows more: `query-3`.
 */
export type TimelineEntry = Omit<RecordedSpan, 'category' | 'section'> & { readonly category: TimeCategory };

/** Methods in records without a request: queue jobs, and application commands. */
const otherMethods = new Set(['JOB', 'CLI']);

/** Returns whether a record is about a request, with a client that got a response. */
export function isOfRequest({ request }: Pick<ProfileRecord, 'request'>): boolean {
  return !otherMethods.has(request.method);
}
