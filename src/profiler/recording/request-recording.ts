import { stripVTControlCharacters, types } from 'node:util';
import type { Snapshot, Redactor } from '#core/dump';
import { type ErrorReport, flattenError, isError } from '#core/errors';
import type { HttpRequest } from '#core/http';
import { type LogRecord, logLevels } from '#core/log';
import type { CollectedSection } from '../sections/section.js';
import type { RecordOrigin, RecordedLimit, RecordedLog } from '../model/profile-record.js';
import type { ControllerNote, Recording, RouteNote, SpanOutcome } from '../model/recording.js';
import { BodyHead } from '../encoding/body-head.js';
import { copyPlain } from '../encoding/copy-plain.js';
import { withoutOuterError } from '../model/find-location.js';
import { type LateFacts, maxLateWork } from '../encoding/amendments.js';
import {
  isNamed,
  objectOf,
  type EncodedLog,
  type EncodedRoute,
  type EncodedSection,
  type CapturedContext,
  type CapturedNamed,
} from '../encoding/encoded-record.js';
import { spanEnd } from '../encoding/spans.js';
import { filledMessage } from '../encoding/read-message.js';
import { BodyParts } from './body-parts.js';
import { LogLines } from './log-lines.js';
import type { RecorderServices } from './recorder-services.js';
import { SpanList } from './span-list.js';
import { takePlain, takeValue } from './take-value.js';
import { cutRecorded } from '../model/formatting.js';

const [info, warning] = [logLevels.indexOf('info'), logLevels.indexOf('warning')];
const maxChannelLength = 200;
const maxUserLength = 300;
/** Milliseconds after which a streamed response's head is sent if no body bytes have followed. */
const headWaitMs = 100;
const noEntries: readonly never[] = [];
const noParameters = {};

/**
 * One request's recording. While open it holds references and numbers, and copies of anything that may change before
 * the request ends.
 */
export class RequestRecording implements Recording {
  readonly id: number;
  readonly token: string;
  readonly request: HttpRequest;
  /** Changed only by `markOwn`. */
  origin: RecordOrigin;
  readonly isTailSampled: boolean;
  readonly spans: SpanList;
  /** If true, only late log lines and errors are accepted. */
  isClosed = false;
  routed: EncodedRoute | undefined;
  controllerNote: ControllerNote | undefined;
  registered: readonly number[] | undefined;
  arguments: readonly CapturedNamed[] = noEntries;
  logs: LogLines | undefined;
  exception: ErrorReport | undefined;
  /** First error logged, used as the exception if the request fails without throwing. */
  loggedError: unknown;
  userName: string | undefined;
  isBodyUnread = false;
  requestHead: BodyHead | undefined;
  /** Null if the body is not multipart. */
  bodyParts: BodyParts | null | undefined;
  responseHead: BodyHead | undefined;
  /** Copy of the beginning of a binary body, taken when it was sent. */
  sentHead: { readonly body: Uint8Array; readonly head: Uint8Array } | undefined;
  /** Milliseconds until streaming of the response began, and until its first byte was sent. */
  #streamsFromMs: number | undefined;
  #firstByteMs: number | undefined;
  sections: EncodedSection[] | undefined;
  limits: RecordedLimit[] | undefined;
  /** Neighbours in the linked list of open recordings. */
  older: RequestRecording | undefined;
  newer: RequestRecording | undefined;
  readonly #services: RecorderServices;
  #lateWork = 0;

  constructor(
    identity: { id: number; token: string; origin: RecordOrigin; isTailSampled: boolean },
    request: HttpRequest,
    services: RecorderServices,
  ) {
    this.id = identity.id;
    this.token = identity.token;
    this.spans = new SpanList(identity.id);
    this.origin = identity.origin;
    this.isTailSampled = identity.isTailSampled;
    this.request = request;
    this.#services = services;
  }

  get startedAt(): number {
    return this.spans.start;
  }

  markOwn(): void {
    if (!this.isClosed) this.origin = 'profiler';
  }

  enter(id: number): number {
    return this.isClosed ? -1 : this.spans.enter(id);
  }

  leave(index: number, outcome?: SpanOutcome): void {
    if (!this.isClosed) this.spans.leave(index, outcome === undefined ? spanEnd.plain : spanEnd[outcome]);
  }

  route(
    { name, path, allow, names, trace }: RouteNote,
    given: Readonly<Record<string, unknown>> = noParameters,
  ): void {
    if (this.isClosed) return;
    try {
      const { redactor, traces, limits } = this.#services;
      const { parameters: max } = limits;
      const parameters: CapturedNamed[] = [];
      let total = 0;
      for (const one of names ?? Object.keys(given)) {
        if (!(one in given) || ++total > max) continue;
        parameters.push({ name: one, value: takeValue(given[one], redactor) });
      }
      if (total > max) this.#cut({ what: 'route parameters', kept: max, total, limit: max });
      this.routed = { name, path, parameters, isUntraced: false, allow };
      if (trace === undefined) return;
      const { request, startedAt: start } = this;
      const found = traces.take(trace, { request, start, isMiss: name === null });
      this.routed = { name, path, parameters, trace: found, isUntraced: found === undefined, allow };
    } catch (error) {
      this.#services.failed(error);
    }
  }

  controller(
    note: ControllerNote,
    args: readonly unknown[],
    described: readonly { readonly name: string }[] = noEntries,
  ): void {
    if (this.isClosed) return;
    try {
      this.controllerNote = note;
      const { redactor, limits } = this.#services;
      const kept = args.length > limits.parameters ? args.slice(0, limits.parameters) : args;
      this.arguments = kept.map((value, at) => ({
        name: described[at]?.name ?? String(at),
        value: takeValue(value, redactor),
      }));
      if (kept.length < args.length)
        this.#cut({ what: 'arguments', kept: kept.length, total: args.length, limit: limits.parameters });
    } catch (error) {
      this.#services.failed(error);
    }
  }

  listeners(ids: readonly number[]): void {
    if (!this.isClosed) this.registered = ids;
  }

  log(record: LogRecord): void {
    try {
      if (this.isClosed) return this.#logLate(record);
      if (this.exception === undefined) this.loggedError ??= findLoggedError(record);
      this.logs ??= new LogLines(this.#services.limits);
      this.logs.add(record, this.#takeLog(record));
    } catch (error) {
      this.#services.failed(error);
    }
  }

  get isLogFull(): boolean {
    return (this.logs?.omitted ?? 0) > 0;
  }

  contextOf(record: LogRecord): Snapshot | undefined {
    const context = this.logs?.contextOf(record);
    return context && this.#snapshotOf(context);
  }

  error(thrown: unknown, report?: ErrorReport | null): void {
    if (this.isClosed) return;
    try {
      if (report === null) this.exception = undefined;
      else this.exception = report ?? flattenError(thrown, this.#services.flatten);
    } catch (error) {
      this.#services.failed(error);
    }
  }

  withdrawError(report: ErrorReport): void {
    if (!this.isClosed && this.exception === report) this.exception = undefined;
  }

  lateError(thrown: unknown): void {
    try {
      const { flatten, late } = this.#services;
      if (!this.isClosed && this.exception !== undefined) return;
      const report = withoutOuterError(flattenError(thrown, flatten));
      if (this.isClosed) late(this.id, { exception: report });
      else this.exception = report;
    } catch (error) {
      this.#services.failed(error);
    }
  }

  /**
   * Records queries and calls that outlive the request, up to a limit, because a poller may inherit the
   * request's context. Skips sections of other profilers in this process, which record the work themselves.
   */
  lateWork(describe: (redactor: Redactor) => LateFacts | undefined, by: CollectedSection): void {
    const { sections, late, redactor } = this.#services;
    if (this.isTailSampled || this.#lateWork >= maxLateWork || !sections.includes(by)) return;
    const found = describe(redactor);
    if (found === undefined) return;
    const { startedAt, ...work } = found;
    this.#lateWork++;
    late(this.id, { work: [{ ...work, startMs: startedAt - this.startedAt }] });
  }

  user(identifier: string): void {
    if (!this.isClosed && typeof identifier === 'string') this.userName = identifier.slice(0, maxUserLength);
  }

  unreadBody(): void {
    if (!this.isClosed) this.isBodyUnread = true;
  }

  requestBody(chunk: Uint8Array | string): void {
    if (this.isClosed) return;
    (this.requestHead ??= new BodyHead(this.#services.limits.requestBody)).add(chunk);
    try {
      if (this.bodyParts === undefined) this.bodyParts = BodyParts.of(this.request);
      this.bodyParts?.add(chunk);
    } catch (error) {
      this.bodyParts = null;
      this.#services.failed(error);
    }
  }

  responseBody(chunk: Uint8Array | string): void {
    if (this.isClosed) return;
    (this.responseHead ??= new BodyHead(this.#services.limits.responseBody)).add(chunk);
  }

  streams(): void {
    if (!this.isClosed) this.#streamsFromMs ??= this.spans.milliseconds();
  }

  firstByte(): void {
    if (!this.isClosed) this.#firstByteMs ??= this.spans.milliseconds();
  }

  /**
   * Milliseconds until the first byte of a streamed response was sent, no later than its head; undefined for
   * other responses.
   */
  get firstByteMs(): number | undefined {
    const headMs = this.#streamsFromMs === undefined ? Infinity : this.#streamsFromMs + headWaitMs;
    const firstMs = Math.min(this.#firstByteMs ?? Infinity, headMs);
    return firstMs <= performance.now() - this.startedAt ? firstMs : undefined;
  }

  sentBytes(body: Uint8Array): void {
    if (this.isClosed) return;
    this.sentHead = { body, head: Uint8Array.from(body.subarray(0, this.#services.limits.responseBody)) };
  }

  section(name: string, data: unknown): void {
    if (this.isClosed || data === undefined) return;
    try {
      this.setSection({ name, data: this.copied(name, data), isCustom: true });
    } catch (error) {
      this.#services.failed(error);
    }
  }

  /** Copies data without secrets, and adds an entry to `limits` if the copy is truncated. */
  copied(name: string, data: unknown): unknown {
    const { limits, redactor } = this.#services;
    const copy = copyPlain(data, redactor, limits.section);
    if (copy.cut) this.#cut({ what: `section ${name}`, ...over(limits.section) });
    return copy.data;
  }

  setSection(section: EncodedSection): void {
    const max = this.#services.limits.sections;
    const sections = (this.sections ??= []);
    const known = sections.findIndex(({ name }) => name === section.name);
    if (known !== -1) sections[known] = section;
    else if (sections.length < max) sections.push(section);
    else this.#cut({ what: 'sections', ...over(max) });
  }

  limit(limit: RecordedLimit): void {
    (this.limits ??= []).push(limit);
  }

  /** Forwards warnings and errors logged after the record was closed. */
  #logLate(record: LogRecord): void {
    const { time, level } = record;
    if (logLevels.indexOf(level) < warning) return;
    const { context: taken, message, isTemplate = false, ...line } = this.#takeLog(record);
    const context = taken && this.#snapshotOf(taken);
    const entry: RecordedLog = {
      ...line,
      time,
      level,
      message: this.#services.redactor.text(isTemplate ? filledMessage(message, context) : message),
      ...(context === undefined ? {} : { context }),
    };
    this.#services.late(this.id, { logs: [entry] });
  }

  #snapshotOf(context: CapturedContext): Snapshot {
    return isNamed(context) ? this.#services.snapshot(objectOf(context)) : context;
  }

  /** Captures a log line. The context is captured now, because its objects may change later. */
  #takeLog({ level, channel, message, context, requestId }: LogRecord): EncodedLog {
    const { limits, snapshot } = this.#services;
    const rank = logLevels.indexOf(level);
    return {
      level: rank === -1 ? info : rank, // foreign loggers may use other levels
      channel: channel.slice(0, maxChannelLength),
      message: cutRecorded(message, limits.message),
      offsetMs: this.spans.milliseconds(),
      context: context === undefined ? undefined : (takePlain(context) ?? snapshot(context)),
      // Only lines with a request id come from our own loggers; other loggers' messages may contain literal braces.
      isTemplate: requestId !== undefined && context !== undefined && message.includes('{'),
    };
  }

  #cut(entry: RecordedLimit): void {
    const { what, total } = entry;
    const known = this.limits?.findIndex((other) => other.what === what) ?? -1;
    if (known === -1 || this.limits === undefined) this.limit(entry);
    else this.limits[known] = { ...entry, total: Math.max(total, (this.limits[known]?.total ?? 0) + 1) };
  }
}

/** Entry for a limit that was exceeded by one. */
function over(limit: number): Omit<RecordedLimit, 'what'> {
  return { kept: limit, total: limit + 1, limit };
}

const error = logLevels.indexOf('error');

/**
 * Returns a log record's error at level `error` or above. If the message contains a stack, as some
 * frameworks log it, the error is parsed from it.
 */
function findLoggedError({ level, message, context }: LogRecord): unknown {
  if (logLevels.indexOf(level) < error) return undefined;
  const values = ownValues(context);
  const found = [context, ...values, ...values.flatMap(ownElements)].find(isError);
  const end = message.indexOf('\n    at ');
  return found === undefined && end !== -1 ? readStackText(message, end) : found;
}

/** Standard error classes, which have no own `name` property. */
const standardErrors: Readonly<Record<string, ErrorConstructor | undefined>> = {
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};

/**
 * Parses an error from text with a stack that begins at `end`. Loggers may put a time, a level or the request
 * before it.
 */
function readStackText(text: string, end: number): Error {
  const before = stripVTControlCharacters(text.slice(0, end));
  const [header, name = 'Error'] = /(?<=^|\s)((?:[A-Z][\w$]{0,99})?(?:Error|Exception)): /.exec(before) ?? [];
  const message = header === undefined ? before.trim() : before.slice(before.indexOf(header) + header.length);
  const Class = standardErrors[name] ?? Error;
  return Object.assign(new Class(message), { name, stack: `${name}: ${message}${text.slice(end)}` });
}

/**
 * Maximum number of context fields and list elements to inspect, because a logged value may be a large result.
 */
const maxLooked = 100;

function ownValues(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null || types.isProxy(value) || ArrayBuffer.isView(value))
    return [];
  if (Array.isArray(value)) return ownElements(value);
  const keys = Object.keys(value).slice(0, maxLooked);
  return keys.map((key): unknown => Object.getOwnPropertyDescriptor(value, key)?.value);
}

function ownElements(value: unknown): readonly unknown[] {
  if (types.isProxy(value) || !Array.isArray(value)) return [];
  return Array.from(
    { length: Math.min(value.length, maxLooked) },
    (_, at): unknown => Object.getOwnPropertyDescriptor(value, at)?.value,
  );
}
