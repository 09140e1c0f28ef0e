import { recordSchema, recordShape } from '../../model/profile-record.js';
import { type Schema, schemaOf } from '../../model/shape.js';
import { summaryShape } from '../../model/profile-summary.js';

const snapshotShape = {
  type: 'text',
  'text?': 'text',
  'length?': 'count',
  'entries?': [{ key: 'text', kind: 'text', 'keySnapshot?': 'snapshot', value: 'snapshot' }],
  'more?': 'count',
  'cut?': '=depth|size|time',
  'id?': 'count',
} as const;

const traceShape = {
  method: 'text',
  path: 'text',
  host: 'text',
  outcome: 'text',
  rows: [{ name: 'text', path: 'text', level: '=no|almost|match', reason: 'text' }],
  omitted: 'count',
  nearMisses: [{ name: 'text', path: 'text', methods: ['text'], distance: 'number' }],
} as const;

const frameShape = {
  index: 'count',
  function: 'text',
  file: 'text',
  'path?': 'text',
  line: 'number',
  column: 'number',
  kind: '=app|library|node|eval|native',
  'library?': 'text',
  async: 'flag',
  'excerpt?': {
    startLine: 'number',
    lines: ['text'],
    line: 'number',
    column: 'number',
    'open?': ['text'],
    'changed?': 'true',
  },
  'note?': 'text',
} as const;

const errorShape = {
  number: 'count',
  label: 'text',
  class: 'text',
  message: 'text',
  'code?': 'text',
  'fix?': 'text',
  'status?': 'number',
  'isNoError?': 'true',
  'properties?': 'snapshot',
  frames: [frameShape],
  'moreFrames?': 'count',
  isOuter: 'flag',
  'replaced?': { by: 'text', how: 'text' },
  'moreChildren?': 'count',
  'circularTo?': 'text',
  'children?': ['chain'],
} as const;

/** Errors that caused each other, innermost first; an aggregate's errors are separate chains. */
const chainShape = { errors: [errorShape], 'more?': 'count' } as const;

/**
 * JSON Schema (2020-12) of a record (`{token}.json`) and, in `$defs`, of a row of `search.json`. Its `$id` contains the
 * schema version, which is `schema` in the record; adding or removing a field increments it.
 */
export const recordJsonSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: `urn:lookback:record:${recordSchema}`,
  title: 'A record of lookback',
  description: 'One request. Times in milliseconds, by the clock of the request or since 1970.',
  ...schemaOf(recordShape),
  $defs: {
    summary: schemaOf(summaryShape),
    list: schemaOf({ schema: 'count', rows: ['summary'], next: ['?', 'text'], complete: 'flag' }),
    snapshot: { ...schemaOf(snapshotShape), description: 'A foreign value: bounded, without secrets.' },
    trace: schemaOf(traceShape),
    report: schemaOf({
      ...chainShape,
      status: 'number',
      class: 'text',
      message: 'text',
      'origin?': { error: 'text', frame: 'count' },
      'answered?': { by: 'text', status: 'number' },
    }),
    chain: schemaOf(chainShape),
  },
};
