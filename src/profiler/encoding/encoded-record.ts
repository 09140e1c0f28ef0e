import type { Snapshot } from '#core/dump';
import type { ErrorReport } from '#core/errors';
import { logLevels } from '#core/log';
import type { MatchTrace } from '#core/routing';
import { type FactList, type FactValue, requestFactList, responseFactList } from '../model/recorded-facts.js';
import type { SectionFinding } from '../sections/section.js';
import type { ProfileRecord, RecordOrigin, RecordedLimit, TimelineEntry } from '../model/profile-record.js';
import { nodeWarningChannel } from '../model/profile-summary.js';

/** A captured value: a primitive as itself (absent if undefined), anything else as a snapshot. */
export type CapturedValue = string | number | boolean | null | undefined | Snapshot;

export interface CapturedNamed {
  readonly name: string;
  readonly value: CapturedValue;
}

export interface EncodedBody {
  /** Text as it is, or bytes as base64. */
  readonly content: string;
  readonly isBytes: boolean;
  /** Total number of bytes seen. */
  readonly bytes: number;
  readonly isUnread: boolean;
}

/** Captured log context: a plain object's values, including secrets, or a snapshot of anything else. */
export type CapturedContext = readonly CapturedNamed[] | Snapshot;

/** A log line; `level` is an index into `logLevels`. */
export interface EncodedLog {
  readonly level: number;
  readonly channel: string;
  readonly message: string;
  readonly offsetMs: number;
  readonly context: CapturedContext | undefined;
  /** The message has placeholders for context values. */
  readonly isTemplate?: boolean;
}

/** Process state at its last sample. */
export interface ProcessSample {
  readonly runtime: Pick<ProfileRecord['runtime'], 'memory' | 'eventLoop'>;
  /** When the sample was taken, on the monotonic clock. */
  readonly at: number;
  /** Offset from the monotonic clock to milliseconds since the epoch. */
  readonly epoch: number;
}

/** A section: built-in data completed by its definition, or custom data, copied without secrets. */
export interface EncodedSection {
  readonly name: string;
  readonly data: unknown;
  readonly isCustom: boolean;
  /** Numbers for lists, by column. */
  readonly numbers?: Readonly<Record<string, number>> | undefined;
  readonly timeline?: readonly TimelineEntry[] | undefined;
  readonly findings?: readonly SectionFinding[] | undefined;
}

/** Where a record's controller is declared, if that was not known when the record was encoded. */
export interface LatePlace {
  readonly id: number;
  readonly file: string;
  readonly line: number;
}

/** Records encoded by `RecordEncoder`, and the process state at that time. */
export interface EncodedBatch {
  /** Transferred to the writer thread without a copy. */
  readonly data: Uint8Array;
  readonly sample: ProcessSample;
  readonly places?: readonly LatePlace[];
}

export interface EncodedSent {
  readonly facts: readonly FactValue[];
  readonly body?: EncodedBody | undefined;
}

export interface EncodedRoute {
  readonly name: string | null;
  readonly path: string | null;
  readonly parameters: readonly CapturedNamed[];
  readonly trace?: MatchTrace | undefined;
  /** The trace was omitted because the time budget for traces was used up. */
  readonly isUntraced: boolean;
  readonly allow?: readonly string[] | undefined;
}

export interface EncodedController {
  readonly name: string;
  readonly file?: string | undefined;
  /** 0 if unknown. */
  readonly line: number;
  readonly arguments: readonly CapturedNamed[];
}

export interface EncodedLogs {
  readonly lines: readonly EncodedLog[];
  /** If lines were omitted: how many and where, and the totals per level (`logLevels`) and of Node's warnings. */
  readonly more?:
    | {
        readonly omitted: number;
        readonly omittedAfter: number;
        readonly byLevel: readonly number[];
        readonly nodeWarnings: number;
      }
    | undefined;
}

const warningLevel = logLevels.indexOf('warning');

export function isEncodedNodeWarning({ level, channel }: EncodedLog): boolean {
  return level === warningLevel && channel === nodeWarningChannel;
}

/**
 * A request as encoded by the main thread: bounded only in length, with its secrets, and nothing computed yet.
 * `toRecords` completes it in the writer thread; until then it never leaves the process. Default values are omitted.
 */
export interface EncodedRecord {
  readonly id: number;
  readonly sequence: number;
  readonly origin: RecordOrigin;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Duration in ticks. */
  readonly end: number;
  readonly method: string;
  readonly target: string;
  /** Scheme and host. */
  readonly baseUrl: string;
  readonly peer: readonly [address: string, port: number];
  readonly facts: readonly FactValue[];
  /** Request headers. The names form one text, a line each, because most requests repeat earlier names. */
  readonly received: { readonly names: string; readonly values: readonly string[] };
  /** The response head from its status line on (`fieldsOfHead`). */
  readonly answered: string;
  readonly body?: EncodedBody | undefined;
  /** Absent if nothing has been sent. */
  readonly sent?: EncodedSent | undefined;
  readonly route?: EncodedRoute | undefined;
  readonly controller?: EncodedController | undefined;
  readonly spans: readonly number[];
  /** Span ids of the listeners registered when the request ended; absent if unknown. */
  readonly registered?: readonly number[] | undefined;
  readonly logs?: EncodedLogs | undefined;
  readonly exception?: ErrorReport | undefined;
  readonly sections: readonly EncodedSection[];
  readonly limits?: readonly RecordedLimit[] | undefined;
}

/** Encodes or decodes a record value by value: an encoder writes the given values, a decoder returns them. */
export interface Codec {
  number(value?: number): number;
  flag(value: boolean | undefined): boolean;
  text(value: string | undefined): string;
  optionalText(value?: string): string | undefined;
  /** Anything else, as JSON. For rare values, because it takes several times as long. */
  json<Value>(value: Value): Value;
  numbers(values: readonly number[] | undefined): readonly number[];
  texts(values: readonly string[] | undefined): readonly string[];
  many<Value>(values: readonly Value[] | undefined, code: Coder<Value>): readonly Value[];
  optional<Value>(value: Value | undefined, code: Coder<Value>): Value | undefined;
}

/** Encodes or decodes a value, which is empty when decoding. */
export type Coder<Value> = (codec: Codec, value: Partial<Value>) => Value;

/** Declares an encoded record's fields and their order, for both encoding and decoding. */
export function codeRecord(codec: Codec, raw: Partial<EncodedRecord>): EncodedRecord {
  return {
    id: codec.number(raw.id),
    sequence: codec.number(raw.sequence),
    origin: codec.flag(raw.origin === 'profiler') ? 'profiler' : 'app',
    startedAt: codec.number(raw.startedAt),
    end: codec.number(raw.end),
    method: codec.text(raw.method),
    target: codec.text(raw.target),
    baseUrl: codec.text(raw.baseUrl),
    peer: [codec.text(raw.peer?.[0]), codec.number(raw.peer?.[1])],
    facts: codeFacts(codec, requestFactList, raw.facts),
    received: { names: codec.text(raw.received?.names), values: codec.texts(raw.received?.values) },
    answered: codec.text(raw.answered),
    body: codec.optional(raw.body, codeBody),
    sent: codec.optional(raw.sent, codeSent),
    route: codec.optional(raw.route, codeRoute),
    controller: codec.optional(raw.controller, codeController),
    spans: codec.numbers(raw.spans),
    registered: codec.numbers(raw.registered),
    logs: codec.optional(raw.logs, codeLogs),
    sections: codec.many(raw.sections, codeSection),
    exception: codec.json(raw.exception),
    limits: codec.json(raw.limits),
  };
}

/** A flag is encoded as 0 or 1, and decoded as such. */
function codeFacts(
  codec: Codec,
  { areTexts }: FactList,
  values?: readonly FactValue[],
): readonly FactValue[] {
  if (values === undefined)
    return areTexts.map((isText) => (isText ? codec.optionalText() : numberOf(codec.number())));
  for (let at = 0; at < areTexts.length; at++) {
    const value = values[at];
    if (areTexts[at] === true) codec.optionalText(typeof value === 'string' ? value : undefined);
    else codec.number(value === undefined ? NaN : Number(value));
  }
  return values;
}

function numberOf(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}

function codeBody(codec: Codec, body: Partial<EncodedBody>): EncodedBody {
  return {
    content: codec.text(body.content),
    bytes: codec.number(body.bytes),
    isBytes: codec.flag(body.isBytes),
    isUnread: codec.flag(body.isUnread),
  };
}

function codeSent(codec: Codec, sent: Partial<EncodedSent>): EncodedSent {
  return {
    facts: codeFacts(codec, responseFactList, sent.facts),
    body: codec.optional(sent.body, codeBody),
  };
}

function codeRoute(codec: Codec, route: Partial<EncodedRoute>): EncodedRoute {
  return {
    name: codec.optionalText(route.name ?? undefined) ?? null,
    path: codec.optionalText(route.path ?? undefined) ?? null,
    parameters: codec.many(route.parameters, codeNamed),
    isUntraced: codec.flag(route.isUntraced),
    trace: codec.json(route.trace),
    allow: codec.json(route.allow),
  };
}

function codeController(codec: Codec, controller: Partial<EncodedController>): EncodedController {
  return {
    name: codec.text(controller.name),
    file: codec.optionalText(controller.file),
    line: codec.number(controller.line),
    arguments: codec.many(controller.arguments, codeNamed),
  };
}

function codeNamed(codec: Codec, { name, value }: Partial<CapturedNamed>): CapturedNamed {
  return { name: codec.text(name), value: codeValue(codec, value) };
}

/** Encodes texts and numbers directly, and opaque objects by their class name. */
function codeValue(codec: Codec, value: CapturedValue): CapturedValue {
  const text = codec.optionalText(typeof value === 'string' ? value : undefined);
  if (text !== undefined) return text;
  if (codec.flag(typeof value === 'number')) return codec.number(Number(value));
  const name = codec.optionalText(isOpaque(value) ? value.text : undefined);
  return name === undefined ? codec.json(value) : { type: 'object', text: name, cut: 'depth' };
}

function isOpaque(value: CapturedValue): value is Snapshot {
  if (typeof value !== 'object' || value === null) return false;
  return value.cut === 'depth' && value.type === 'object' && Object.keys(value).length === 3;
}

function codeLogs(codec: Codec, { lines, more }: Partial<EncodedLogs>): EncodedLogs {
  return { lines: codec.many(lines, codeLog), more: codec.json(more) };
}

function codeLog(codec: Codec, line: Partial<EncodedLog>): EncodedLog {
  return {
    level: codec.number(line.level),
    channel: codec.text(line.channel),
    message: codec.text(line.message),
    offsetMs: codec.number(line.offsetMs),
    context: codeContext(codec, line.context),
    isTemplate: codec.flag(line.isTemplate),
  };
}

function codeContext(codec: Codec, context: CapturedContext | undefined): CapturedContext | undefined {
  const named = codec.many(context !== undefined && isNamed(context) ? context : [], codeNamed);
  return named.length > 0 ? named : codec.json(context);
}

/** Text data is encoded directly. */
function codeSection(codec: Codec, section: Partial<EncodedSection>): EncodedSection {
  const { data } = section;
  const text = codec.optionalText(typeof data === 'string' ? data : undefined);
  return {
    data: text ?? codec.json(data),
    name: codec.text(section.name),
    isCustom: codec.flag(section.isCustom),
    numbers: codec.json(section.numbers),
    timeline: codec.json(section.timeline),
    findings: codec.json(section.findings),
  };
}

export function isNamed(context: CapturedContext): context is readonly CapturedNamed[] {
  return Array.isArray(context);
}

/** Rebuilds a captured context's object, for its snapshot. */
export function objectOf(named: readonly CapturedNamed[]): Record<string, CapturedValue> {
  return Object.fromEntries(named.map(({ name, value }) => [name, value]));
}

export function toSnapshot(value: CapturedValue): Snapshot {
  if (value === undefined) return { type: 'undefined', text: 'undefined' };
  if (value === null) return { type: 'null', text: 'null' };
  if (typeof value === 'string') return { type: 'string', text: value };
  if (typeof value === 'boolean') return { type: 'boolean', text: String(value) };
  return typeof value === 'number' ? { type: 'number', text: String(value) } : value;
}
