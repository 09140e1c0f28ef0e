import type { Picture } from '#core/dump';
import type { ErrorReport } from '#core/errors';
import { logLevels } from '#core/log';
import type { MatchTrace } from '#core/routing';
import { type FactList, type FactValue, requestFactList, responseFactList } from '../model/recorded-facts.js';
import type { SectionFinding } from '../sections/section.js';
import type { ProfileRecord, RecordBucket, RecordedLimit, TimelineEntry } from '../model/profile-record.js';
import { nodeWarningChannel } from '../model/profile-summary.js';

/** A captured value: a primitive as itself (absent if undefined), anything else as its picture. */
export type TakenValue = string | number | boolean | null | undefined | Picture;

export interface TakenNamed {
  readonly name: string;
  readonly value: TakenValue;
}

export interface RawBody {
  /** Text as it is; bytes as base64. */
  readonly content: string;
  readonly isBytes: boolean;
  /** Total number of bytes that were seen. */
  readonly bytes: number;
  readonly isUnread: boolean;
}

/** The context of a log line at that time: values of a plain object, with their secrets, or the picture of anything else. */
export type TakenContext = readonly TakenNamed[] | Picture;

/** A log line; `level` is its place in `logLevels`. */
export interface RawLog {
  readonly level: number;
  readonly channel: string;
  readonly message: string;
  readonly offsetMs: number;
  readonly context: TakenContext | undefined;
  /** The message has placeholders, which the values of the context fill. */
  readonly isTemplate?: boolean;
}

/** State of the process when it was last sampled. */
export interface ProcessSample {
  readonly runtime: Pick<ProfileRecord['runtime'], 'memory' | 'eventLoop'>;
  /** When the sample was taken, on the monotonic clock. */
  readonly at: number;
  /** Offset from the monotonic clock to milliseconds since the epoch. */
  readonly epoch: number;
}

/** A section: a built-in one, whose definition completes it, or one of the application: copied, without secrets. */
export interface RawSection {
  readonly name: string;
  readonly data: unknown;
  readonly isCustom: boolean;
  /** Its numbers for lists, by column. */
  readonly numbers?: Readonly<Record<string, number>> | undefined;
  readonly timeline?: readonly TimelineEntry[] | undefined;
  readonly findings?: readonly SectionFinding[] | undefined;
}

/** Raw records as `RawRecords` writes them, and the process meanwhile. */
export interface RawBatch {
  /** Handed over to the writer's thread without a copy. */
  readonly data: Uint8Array;
  readonly sample: ProcessSample;
}

export interface RawSent {
  readonly facts: readonly FactValue[];
  readonly body?: RawBody | undefined;
}

export interface RawRoute {
  readonly name: string | null;
  readonly path: string | null;
  readonly parameters: readonly TakenNamed[];
  readonly trace?: MatchTrace | undefined;
  /** The trace was omitted because the time for traces was used up. */
  readonly isUntraced: boolean;
  readonly allow?: readonly string[] | undefined;
}

export interface RawController {
  readonly name: string;
  readonly file?: string | undefined;
  /** 0 if it is not known. */
  readonly line: number;
  readonly arguments: readonly TakenNamed[];
}

export interface RawLogs {
  readonly lines: readonly RawLog[];
  /** If lines were omitted: how many, after which one, and the number of all lines per level (`logLevels`) and of Node's warnings. */
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

export function isRawNodeWarning({ level, channel }: RawLog): boolean {
  return level === warningLevel && channel === nodeWarningChannel;
}

/**
 * What the thread that answered a request wrote down about it. It is raw: bounded by length alone, with its secrets, and
 * nothing in it is computed. `toRecords` makes the record of it, in the writer's thread; until then it leaves the process's
 * memory in no way. What is usual is absent: null, nothing, none.
 */
export interface RawRecord {
  readonly id: number;
  readonly sequence: number;
  readonly bucket: RecordBucket;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Duration in ticks. */
  readonly end: number;
  readonly method: string;
  readonly target: string;
  /** Scheme and host. */
  readonly origin: string;
  readonly peer: readonly [address: string, port: number];
  readonly facts: readonly FactValue[];
  /** Header fields of the request: their names as one text, a line each, since hardly any request has other names than those before. */
  readonly received: { readonly names: string; readonly values: readonly string[] };
  /** The head of the response, from its status line on (`fieldsOfHead`). */
  readonly answered: string;
  readonly body?: RawBody | undefined;
  /** Absent if nothing has been sent. */
  readonly sent?: RawSent | undefined;
  readonly route?: RawRoute | undefined;
  readonly controller?: RawController | undefined;
  readonly spans: readonly number[];
  /** Ids of the listeners that were registered when the request ended; absent if they are not known. */
  readonly registered?: readonly number[] | undefined;
  readonly logs?: RawLogs | undefined;
  readonly exception?: ErrorReport | undefined;
  readonly sections: readonly RawSection[];
  readonly limits?: readonly RecordedLimit[] | undefined;
}

/** The facts of a record one by one: takes those that are given while it is written, returns the same ones when it is read. */
export interface Facts {
  number(value?: number): number;
  flag(value: boolean | undefined): boolean;
  text(value: string | undefined): string;
  optionalText(value?: string): string | undefined;
  /** Anything else, as JSON: for what is rare, since that takes several times as long. */
  json<Value>(value: Value): Value;
  numbers(values: readonly number[] | undefined): readonly number[];
  texts(values: readonly string[] | undefined): readonly string[];
  many<Value>(values: readonly Value[] | undefined, pass: PassFacts<Value>): readonly Value[];
  optional<Value>(value: Value | undefined, pass: PassFacts<Value>): Value | undefined;
}

/** Passes on the facts of a value, which is empty while it is read. */
export type PassFacts<Value> = (facts: Facts, value: Partial<Value>) => Value;

/** Declares which facts a raw record has, in which order: for writing as for reading. */
export function passRecord(facts: Facts, raw: Partial<RawRecord>): RawRecord {
  return {
    id: facts.number(raw.id),
    sequence: facts.number(raw.sequence),
    bucket: facts.flag(raw.bucket === 'profiler') ? 'profiler' : 'app',
    startedAt: facts.number(raw.startedAt),
    end: facts.number(raw.end),
    method: facts.text(raw.method),
    target: facts.text(raw.target),
    origin: facts.text(raw.origin),
    peer: [facts.text(raw.peer?.[0]), facts.number(raw.peer?.[1])],
    facts: passFacts(facts, requestFactList, raw.facts),
    received: { names: facts.text(raw.received?.names), values: facts.texts(raw.received?.values) },
    answered: facts.text(raw.answered),
    body: facts.optional(raw.body, passBody),
    sent: facts.optional(raw.sent, passSent),
    route: facts.optional(raw.route, passRoute),
    controller: facts.optional(raw.controller, passController),
    spans: facts.numbers(raw.spans),
    registered: facts.numbers(raw.registered),
    logs: facts.optional(raw.logs, passLogs),
    sections: facts.many(raw.sections, passSection),
    exception: facts.json(raw.exception),
    limits: facts.json(raw.limits),
  };
}

/** A flag crosses as 0 or 1, and comes back so. */
function passFacts(
  facts: Facts,
  { areTexts }: FactList,
  values?: readonly FactValue[],
): readonly FactValue[] {
  if (values === undefined)
    return areTexts.map((isText) => (isText ? facts.optionalText() : numberOf(facts.number())));
  for (let at = 0; at < areTexts.length; at++) {
    const value = values[at];
    if (areTexts[at] === true) facts.optionalText(typeof value === 'string' ? value : undefined);
    else facts.number(value === undefined ? NaN : Number(value));
  }
  return values;
}

function numberOf(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}

function passBody(facts: Facts, body: Partial<RawBody>): RawBody {
  return {
    content: facts.text(body.content),
    bytes: facts.number(body.bytes),
    isBytes: facts.flag(body.isBytes),
    isUnread: facts.flag(body.isUnread),
  };
}

function passSent(facts: Facts, sent: Partial<RawSent>): RawSent {
  return {
    facts: passFacts(facts, responseFactList, sent.facts),
    body: facts.optional(sent.body, passBody),
  };
}

function passRoute(facts: Facts, route: Partial<RawRoute>): RawRoute {
  return {
    name: facts.optionalText(route.name ?? undefined) ?? null,
    path: facts.optionalText(route.path ?? undefined) ?? null,
    parameters: facts.many(route.parameters, passNamed),
    isUntraced: facts.flag(route.isUntraced),
    trace: facts.json(route.trace),
    allow: facts.json(route.allow),
  };
}

function passController(facts: Facts, controller: Partial<RawController>): RawController {
  return {
    name: facts.text(controller.name),
    file: facts.optionalText(controller.file),
    line: facts.number(controller.line),
    arguments: facts.many(controller.arguments, passNamed),
  };
}

function passNamed(facts: Facts, { name, value }: Partial<TakenNamed>): TakenNamed {
  return { name: facts.text(name), value: passValue(facts, value) };
}

/** Passes texts and numbers as they are, also the only one of the picture of an object of which only the class is shown. */
function passValue(facts: Facts, value: TakenValue): TakenValue {
  const text = facts.optionalText(typeof value === 'string' ? value : undefined);
  if (text !== undefined) return text;
  if (facts.flag(typeof value === 'number')) return facts.number(Number(value));
  const name = facts.optionalText(isOpaque(value) ? value.text : undefined);
  return name === undefined ? facts.json(value) : { type: 'object', text: name, cut: 'depth' };
}

function isOpaque(value: TakenValue): value is Picture {
  if (typeof value !== 'object' || value === null) return false;
  return value.cut === 'depth' && value.type === 'object' && Object.keys(value).length === 3;
}

function passLogs(facts: Facts, { lines, more }: Partial<RawLogs>): RawLogs {
  return { lines: facts.many(lines, passLog), more: facts.json(more) };
}

function passLog(facts: Facts, line: Partial<RawLog>): RawLog {
  return {
    level: facts.number(line.level),
    channel: facts.text(line.channel),
    message: facts.text(line.message),
    offsetMs: facts.number(line.offsetMs),
    context: passContext(facts, line.context),
    isTemplate: facts.flag(line.isTemplate),
  };
}

function passContext(facts: Facts, context: TakenContext | undefined): TakenContext | undefined {
  const named = facts.many(context !== undefined && isNamed(context) ? context : [], passNamed);
  return named.length > 0 ? named : facts.json(context);
}

/** Data that is a text is passed as it is. */
function passSection(facts: Facts, section: Partial<RawSection>): RawSection {
  const { data } = section;
  const text = facts.optionalText(typeof data === 'string' ? data : undefined);
  return {
    data: text ?? facts.json(data),
    name: facts.text(section.name),
    isCustom: facts.flag(section.isCustom),
    numbers: facts.json(section.numbers),
    timeline: facts.json(section.timeline),
    findings: facts.json(section.findings),
  };
}

export function isNamed(context: TakenContext): context is readonly TakenNamed[] {
  return Array.isArray(context);
}

/** Returns the object that a context was taken of, for its picture. */
export function objectOf(named: readonly TakenNamed[]): Record<string, TakenValue> {
  return Object.fromEntries(named.map(({ name, value }) => [name, value]));
}

export function toPicture(value: TakenValue): Picture {
  if (value === undefined) return { type: 'undefined', text: 'undefined' };
  if (value === null) return { type: 'null', text: 'null' };
  if (typeof value === 'string') return { type: 'string', text: value };
  if (typeof value === 'boolean') return { type: 'boolean', text: String(value) };
  return typeof value === 'number' ? { type: 'number', text: String(value) } : value;
}
