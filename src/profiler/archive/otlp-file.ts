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

/** The part of OTLP's JSON that is read: traces and logs, as an exporter sends them and a collector writes them to files. */
export type OtlpFile = DataOf<typeof otlpShape>;
type Resources = NonNullable<OtlpFile['resourceSpans']>[number];
export type SentSpan = NonNullable<Resources['scopeSpans'][number]['spans']>[number];
type Logs = NonNullable<OtlpFile['resourceLogs']>[number];
export type SentLine = NonNullable<Logs['scopeLogs'][number]['logRecords']>[number];

/** JSON Schema of it. */
export const otlpSchema: Schema = schemaOf(otlpShape);

type SaidValue = string | number | boolean;
/** Attributes by their names. */
export type Said = ReadonlyMap<string, SaidValue>;

export function mapOf(given: DataOf<'otlpAttributes'> = []): Said {
  return new Map(
    given.flatMap(({ key, value: said }) => {
      const read = valueOf(said);
      return read === undefined ? [] : [[key, read]];
    }),
  );
}

/** Lists and maps, which nothing that is read has, are left out. */
export function valueOf({ stringValue, intValue, doubleValue, boolValue }: DataOf<'otlpValue'> = {}):
  | SaidValue
  | undefined {
  return stringValue ?? (intValue === undefined ? undefined : Number(intValue)) ?? doubleValue ?? boolValue;
}

/** The first of these that there is. */
export function find(of: Said, ...names: readonly string[]): SaidValue | undefined {
  return of.get(names.find((name) => of.has(name)) ?? '');
}

/** The same as text; empty where there is none. */
export function textOf(of: Said, ...names: readonly string[]): string {
  return String(find(of, ...names) ?? '');
}

/** The same as a whole number; 0 where there is none. */
export function countOf(of: Said, ...names: readonly string[]): number {
  return Math.max(0, Math.trunc(Number(find(of, ...names)))) || 0;
}

/** Milliseconds since the epoch, of nanoseconds that no number holds exactly. */
export function toMs(nanoseconds: string | number): number {
  if (typeof nanoseconds === 'number') return nanoseconds / 1e6;
  const whole = BigInt(nanoseconds);
  return Number(whole / 1_000_000n) + Number(whole % 1_000_000n) / 1e6;
}
