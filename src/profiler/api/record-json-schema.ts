import { recordSchema, recordShape } from '../model/profile-record.js';
import { type Schema, schemaOf } from '../model/shape.js';
import { summaryShape } from '../model/profile-summary.js';

const pictureShape = {
  type: 'text',
  'text?': 'text',
  'length?': 'count',
  'entries?': [{ key: 'text', kind: 'text', 'keyPicture?': 'picture', value: 'picture' }],
  'more?': 'count',
  'cut?': '=depth|size|time',
  'id?': 'count',
} as const;

const traceShape = {
  method: 'text',
  path: 'text',
  host: 'text',
  scheme: 'text',
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
  'excerpt?': { startLine: 'number', lines: ['text'], line: 'number', column: 'number', 'changed?': 'true' },
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
  'properties?': 'picture',
  frames: [frameShape],
  'shared?': { label: 'text', calls: 'count', at: 'count' },
  'moreFrames?': 'count',
  isOuter: 'flag',
  'moreChildren?': 'count',
  'circularTo?': 'text',
} as const;

/** Errors that caused each other, innermost first; the errors of an aggregate are chains of their own. */
function chainSchema(): Schema {
  const error = schemaOf(errorShape);
  const properties = {
    ...(error['properties'] as Schema), // `schemaOf` makes an object of every object
    children: { type: 'array', items: { $ref: '#/$defs/chain' } },
  };
  return { type: 'array', items: { ...error, properties } };
}

/** Adds properties to the schema of an object. */
function withProperties(schema: Schema, added: Schema, required: readonly string[]): Schema {
  return {
    ...schema,
    properties: { ...added, ...(schema['properties'] as Schema) }, // as above
    required: [...required, ...(schema['required'] as readonly string[])], // as above
  };
}

/**
 * JSON Schema (2020-12) of a record (`{token}.json`) and, in `$defs`, of a row of `search.json`. Its `$id` contains the
 * version of the shape, which is `schema` in the record: adding or removing a field increases it.
 */
export const recordJsonSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: `urn:lookback:record:${recordSchema}`,
  title: 'A record of lookback',
  description: 'One request. Times in milliseconds, by the clock of the request or since 1970.',
  ...schemaOf(recordShape),
  $defs: {
    summary: schemaOf(summaryShape),
    list: withProperties(
      schemaOf({ next: ['?', 'text'], complete: 'flag' }),
      { schema: { const: recordSchema }, rows: { type: 'array', items: { $ref: '#/$defs/summary' } } },
      ['schema', 'rows'],
    ),
    picture: { ...schemaOf(pictureShape), description: 'A foreign value: bounded, without secrets.' },
    trace: schemaOf(traceShape),
    report: withProperties(
      schemaOf({
        'more?': 'count',
        status: 'number',
        class: 'text',
        message: 'text',
        'origin?': { error: 'text', frame: 'count' },
      }),
      { errors: chainSchema() },
      ['errors'],
    ),
    chain: withProperties(schemaOf({ 'more?': 'count' }), { errors: chainSchema() }, ['errors']),
  },
};
