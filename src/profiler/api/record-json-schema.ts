import { recordSchema } from '../model/profile-record.js';
import { timeCategories } from '../model/time-breakdown.js';

export type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const number: Schema = { type: 'number' };
const count: Schema = { type: 'integer', minimum: 0 };
const flag: Schema = { type: 'boolean' };
const pairs: Schema = listOf({ type: 'array', prefixItems: [text, text], items: false, minItems: 2 });
const state: Schema = { enum: ['complete', 'unfinished', 'aborted'] };
const token: Schema = { type: 'string', pattern: '^[0-9a-f]{6,32}$' };
const picture: Schema = { $ref: '#/$defs/picture' };
const namedPicture: Schema = fields({ name: text, value: picture });
const numbers: Schema = { type: 'object', additionalProperties: number };

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] };
}

/** Returns the schema of an object with exactly these fields. Fields whose name ends in `?` are optional. */
export function fields(members: Readonly<Record<string, Schema>>): Schema {
  const entries = Object.entries(members);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace('?', ''), schema])),
    required: entries.flatMap(([name]) => (name.endsWith('?') ? [] : [name])),
    additionalProperties: false,
  };
}

const body: Schema = fields({
  encoding: { enum: ['text', 'base64'] },
  content: text,
  contentType: text,
  bytes: count,
  cut: flag,
  'isUnread?': { const: true },
});

const request: Schema = fields({
  method: text,
  url: text,
  target: text,
  path: text,
  httpVersion: text,
  scheme: { enum: ['http', 'https'] },
  host: text,
  clientAddress: text,
  peer: fields({ address: text, port: count }),
  headers: pairs,
  cookies: pairs,
  query: pairs,
  body: orNull(body),
  parsed: orNull(fields({ format: { enum: ['form', 'json'] }, value: picture })),
  locale: orNull(text),
  user: orNull(text),
  'visitor?': text,
  'rawHead?': text,
});

const response: Schema = fields({
  status: count,
  headers: pairs,
  cookies: listOf(fields({ name: text, value: text, attributes: pairs })),
  bodyBytes: count,
  body: orNull(body),
  completed: flag,
});

const listener: Schema = fields({
  name: text,
  'place?': fields({ file: text, line: count, column: count }),
  priority: number,
  startMs: number,
  durationMs: number,
  stopped: flag,
  failed: flag,
});

const trace: Schema = fields({
  method: text,
  path: text,
  host: text,
  scheme: text,
  outcome: text,
  rows: listOf(fields({ name: text, path: text, level: { enum: ['no', 'almost', 'match'] }, reason: text })),
  omitted: count,
  nearMisses: listOf(fields({ name: text, path: text, methods: listOf(text), distance: number })),
});

const frame: Schema = fields({
  index: count,
  function: text,
  file: text,
  'path?': text,
  line: number,
  column: number,
  kind: { enum: ['app', 'library', 'node', 'eval', 'native'] },
  'library?': text,
  async: flag,
  'excerpt?': fields({
    startLine: number,
    lines: listOf(text),
    line: number,
    column: number,
    'changed?': { const: true },
  }),
  'note?': text,
});

/** Errors that caused each other, innermost first. */
const chain: Readonly<Record<string, Schema>> = {
  errors: listOf(
    fields({
      number: count,
      label: text,
      class: text,
      message: text,
      'code?': text,
      'fix?': text,
      'status?': number,
      'isNoError?': { const: true },
      'properties?': picture,
      frames: listOf(frame),
      'shared?': fields({ label: text, calls: count, at: count }),
      'moreFrames?': count,
      isOuter: flag,
      'children?': listOf({ $ref: '#/$defs/chain' }),
      'moreChildren?': count,
      'circularTo?': text,
    }),
  ),
  'more?': count,
};

const record: Schema = fields({
  schema: { type: 'integer', minimum: 1 },
  token,
  sequence: count,
  bucket: { enum: ['app', 'profiler'] },
  'parent?': token,
  'children?': listOf(token),
  startedAt: number,
  durationMs: number,
  state,
  request,
  response: orNull(response),
  route: orNull(
    fields({
      name: orNull(text),
      path: orNull(text),
      parameters: listOf(namedPicture),
      trace: orNull(trace),
      allow: listOf(text),
    }),
  ),
  controller: orNull(
    fields({ name: text, file: orNull(text), line: orNull(count), arguments: listOf(namedPicture) }),
  ),
  events: listOf(fields({ event: text, startMs: number, durationMs: number, listeners: listOf(listener) })),
  logs: listOf(
    fields({
      time: number,
      offsetMs: number,
      level: text,
      channel: text,
      message: text,
      'context?': picture,
    }),
  ),
  logTotals: fields({ total: count, byLevel: numbers, omitted: count, omittedAfter: count }),
  exception: orNull({ $ref: '#/$defs/report' }),
  timeline: listOf(
    fields({
      name: text,
      category: text,
      startMs: number,
      durationMs: number,
      'busyMs?': number,
      'detail?': text,
      'section?': text,
      'anchor?': text,
      'open?': { const: true },
    }),
  ),
  runtime: fields({
    memory: fields({ rss: number, heapUsed: number, heapTotal: number, external: number }),
    eventLoop: fields({ meanDelayMs: number, maxDelayMs: number, utilization: number }),
    sampledMsAgo: number,
  }),
  config: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
  sections: {
    type: 'object',
    description: 'The data of the collectors, by their names: plain data of their own shapes.',
  },
  limits: listOf(fields({ what: text, kept: number, total: number, limit: number })),
  cost: fields({ recordMs: number, bytes: count }),
});

const summary: Schema = fields({
  token,
  sequence: count,
  bucket: { enum: ['app', 'profiler'] },
  parent: orNull(token),
  trace: orNull(text),
  visitor: orNull(text),
  startedAt: number,
  durationMs: number,
  breakdown: fields(Object.fromEntries(timeCategories.map((category) => [category, number]))),
  state,
  method: text,
  url: text,
  path: text,
  status: count,
  clientAddress: text,
  route: orNull(text),
  exception: orNull(text),
  errorClass: orNull(text),
  errorPlace: orNull(text),
  warnings: count,
  errors: count,
  logs: count,
  user: orNull(text),
  instance: orNull(text),
  version: orNull(text),
  collected: numbers,
});

/**
 * JSON Schema (2020-12) of a record (`{token}.json`) and, in `$defs`, of a row of `search.json`. Its `$id` contains the
 * version of the shape, which is `schema` in the record: adding or removing a field increases it.
 */
export const recordJsonSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: `urn:lookback:record:${recordSchema}`,
  title: 'A record of lookback',
  description: 'One request. Times in milliseconds, by the clock of the request or since 1970.',
  ...record,
  $defs: {
    summary,
    list: fields({
      schema: { const: recordSchema },
      rows: listOf({ $ref: '#/$defs/summary' }),
      next: orNull(text),
      complete: flag,
      'damaged?': count,
    }),
    picture: {
      ...fields({
        type: text,
        'text?': text,
        'length?': count,
        'entries?': listOf(fields({ key: text, kind: text, 'keyPicture?': picture, value: picture })),
        'more?': count,
        'cut?': { enum: ['depth', 'size', 'time'] },
        'id?': count,
      }),
      description: 'A foreign value: bounded, without secrets.',
    },
    report: fields({
      ...chain,
      status: number,
      class: text,
      message: text,
      'origin?': fields({ error: text, frame: count }),
    }),
    chain: fields(chain),
  },
};
