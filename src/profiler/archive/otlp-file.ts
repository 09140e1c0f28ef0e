import { fields, listOf, type Schema } from '../api/record-json-schema.js';

interface OtlpValue {
  readonly stringValue?: string;
  readonly intValue?: string | number;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
}
export type OtlpAttributes = readonly { readonly key: string; readonly value?: OtlpValue }[];

export interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind?: number | string;
  readonly startTimeUnixNano: string | number;
  readonly endTimeUnixNano: string | number;
  readonly attributes?: OtlpAttributes;
  readonly events?: readonly { readonly name: string; readonly attributes?: OtlpAttributes }[];
}

export interface SentLine {
  readonly timeUnixNano?: string | number;
  readonly observedTimeUnixNano?: string | number;
  readonly severityNumber?: number;
  readonly body?: OtlpValue;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly attributes?: OtlpAttributes;
}

/** The part of OTLP's JSON that is read: traces and logs, as an exporter sends them and a collector writes them to files. */
export interface OtlpFile {
  readonly resourceSpans?: readonly {
    readonly resource?: { readonly attributes?: OtlpAttributes };
    readonly scopeSpans: readonly { readonly spans?: readonly SentSpan[] }[];
  }[];
  readonly resourceLogs?: readonly {
    readonly scopeLogs: readonly { readonly logRecords?: readonly SentLine[] }[];
  }[];
}

const text: Schema = { type: 'string' };
const number: Schema = { type: 'number' };
const time: Schema = { type: ['string', 'number'], pattern: '^\\d+$', minimum: 0 };
const value: Schema = fields({
  'stringValue?': text,
  'intValue?': { type: ['string', 'number'] },
  'doubleValue?': number,
  'boolValue?': { type: 'boolean' },
});
const attributes: Schema = listOf(fields({ key: text, 'value?': value }));

/** JSON Schema of what is read. */
export const otlpSchema: Schema = fields({
  'resourceSpans?': listOf(
    fields({
      'resource?': fields({ 'attributes?': attributes }),
      scopeSpans: listOf(
        fields({
          'spans?': listOf(
            fields({
              traceId: { type: 'string', pattern: '^[0-9a-f]{32}$' },
              spanId: { type: 'string', pattern: '^[0-9a-f]{16}$' },
              'parentSpanId?': text,
              name: text,
              'kind?': { type: ['string', 'number'] },
              startTimeUnixNano: time,
              endTimeUnixNano: time,
              'attributes?': attributes,
              'events?': listOf(fields({ name: text, 'attributes?': attributes })),
            }),
          ),
        }),
      ),
    }),
  ),
  'resourceLogs?': listOf(
    fields({
      scopeLogs: listOf(
        fields({
          'logRecords?': listOf(
            fields({
              'timeUnixNano?': time,
              'observedTimeUnixNano?': time,
              'severityNumber?': number,
              'body?': value,
              'traceId?': text,
              'spanId?': text,
              'attributes?': attributes,
            }),
          ),
        }),
      ),
    }),
  ),
});

type SaidValue = string | number | boolean;
/** Attributes by their names. */
export type Said = ReadonlyMap<string, SaidValue>;

export function mapOf(given: OtlpAttributes = []): Said {
  return new Map(
    given.flatMap(({ key, value: said }) => {
      const read = valueOf(said);
      return read === undefined ? [] : [[key, read]];
    }),
  );
}

/** Lists and maps, which nothing that is read has, are left out. */
export function valueOf({ stringValue, intValue, doubleValue, boolValue }: OtlpValue = {}):
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
