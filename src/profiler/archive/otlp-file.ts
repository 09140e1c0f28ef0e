import type { Schema } from '../api/record-json-schema.js';
import { type DataOf, schemaOf } from './file-shape.js';

const otlpShape = {
  'resourceSpans?': [
    {
      'resource?': { 'attributes?': 'otlpAttributes' },
      scopeSpans: [
        {
          'spans?': [
            {
              traceId: 'traceId',
              spanId: 'spanId',
              'parentSpanId?': 'text',
              name: 'text',
              'kind?': 'numberOrText',
              startTimeUnixNano: 'nanoseconds',
              endTimeUnixNano: 'nanoseconds',
              'attributes?': 'otlpAttributes',
              'events?': [{ name: 'text', 'attributes?': 'otlpAttributes' }],
            },
          ],
        },
      ],
    },
  ],
  'resourceLogs?': [
    {
      scopeLogs: [
        {
          'logRecords?': [
            {
              'timeUnixNano?': 'nanoseconds',
              'observedTimeUnixNano?': 'nanoseconds',
              'severityNumber?': 'number',
              'body?': 'otlpValue',
              'traceId?': 'text',
              'spanId?': 'text',
              'attributes?': 'otlpAttributes',
            },
          ],
        },
      ],
    },
  ],
} as const;

/** The part of OTLP/JSON that is read: traces and logs, as sent by an exporter or written to a file by a collector. */
export type OtlpFile = DataOf<typeof otlpShape>;
type Resources = NonNullable<OtlpFile['resourceSpans']>[number];
export type SentSpan = NonNullable<Resources['scopeSpans'][number]['spans']>[number];
type Logs = NonNullable<OtlpFile['resourceLogs']>[number];
export type SentLine = NonNullable<Logs['scopeLogs'][number]['logRecords']>[number];

/** JSON Schema of `OtlpFile`. */
export const otlpSchema: Schema = schemaOf(otlpShape);

type AttributeValue = string | number | boolean;
/** OTLP attributes by name. */
export type AttributeValues = ReadonlyMap<string, AttributeValue>;

export function mapOf(attributes: DataOf<'otlpAttributes'> = []): AttributeValues {
  return new Map(
    attributes.flatMap(({ key, value: otlpValue }) => {
      const value = valueOf(otlpValue);
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

/** Returns a scalar value. Lists and maps are ignored: none of the attributes that we read contains one. */
export function valueOf({ stringValue, intValue, doubleValue, boolValue }: DataOf<'otlpValue'> = {}):
  | AttributeValue
  | undefined {
  return stringValue ?? (intValue === undefined ? undefined : Number(intValue)) ?? doubleValue ?? boolValue;
}

/** Returns the first of the named attributes that is present. */
export function find(attributes: AttributeValues, ...names: readonly string[]): AttributeValue | undefined {
  return attributes.get(names.find((name) => attributes.has(name)) ?? '');
}

/** Returns the first of the named attributes as text; empty if none is present. */
export function textOf(attributes: AttributeValues, ...names: readonly string[]): string {
  return String(find(attributes, ...names) ?? '');
}

/** Returns the first of the named attributes as a non-negative integer; 0 if none is present. */
export function countOf(attributes: AttributeValues, ...names: readonly string[]): number {
  return Math.max(0, Math.trunc(Number(find(attributes, ...names)))) || 0;
}

/** Converts nanoseconds to milliseconds since the epoch. Uses BigInt for texts, as a number cannot hold them exactly. */
export function toMs(nanoseconds: string | number): number {
  if (typeof nanoseconds === 'number') return nanoseconds / 1e6;
  const whole = BigInt(nanoseconds);
  return Number(whole / 1_000_000n) + Number(whole % 1_000_000n) / 1e6;
}
