import type { ErrorReport, FlattenOptions } from '#errors';
import { flattenError } from '#errors';
import type { HttpRequest } from '#http';
import type { LogRecord } from '#log';
import { logLevels } from '#log';
import type { Picture, Redactor } from '#dump';
import type { MatchTrace } from '#routing';
import { type SectionInput, plainForm } from '../form/sections.js';
import { spanEnd } from '../form/spans.js';
import { fromTicks } from '../form/ticks.js';
import type { RecordBucket, RecordedLimit, RecordedLog } from '../model/profile-record.js';
import type { ControllerNote, Recording, RouteNote, SpanOutcome } from '../model/recording.js';
import { BodyHead } from '../redact/body-head.js';
import { copyPlain } from '../redact/copy-plain.js';
import { withoutOuterError } from './find-error-place.js';
import { LogLines } from './log-lines.js';
import { findSecretValues } from './path-secrets.js';
import type { RecorderLimits } from './recorder-limits.js';
import { SpanList } from './span-list.js';
import { takeArguments, type TakenNamed, takeParameters } from './take-value.js';
import type { TraceBudget } from './trace-budget.js';

/** Receives what is reported after a record was closed. */
export interface LateListener {
  log(token: string, entry: RecordedLog): void;
  error(token: string, report: ErrorReport): void;
}

/** Services shared by all recordings of a profiler. */
export interface RecordingServices {
  readonly redactor: Redactor;
  readonly limits: RecorderLimits;
  readonly flatten: FlattenOptions;
  /** Takes a picture of the context of a log line. */
  readonly picture: (value: unknown) => Picture;
  readonly traces: TraceBudget;
  readonly late: LateListener;
  /** Called if the profiler itself fails; the request continues. */
  readonly failed: (error: unknown) => void;
}

const warning = logLevels.indexOf('warning');
const maxChannelLength = 200;
const maxUserLength = 300;

/**
 * The recording of a request. While open, it holds only references and numbers; all expensive work is deferred until the
 * record is serialised, except copying values that could change until then.
 */
export class RequestRecording implements Recording {
  readonly key: number;
  readonly token: string;
  readonly request: HttpRequest;
  readonly bucket: RecordBucket;
  readonly parent: string | null;
  readonly isOnTrial: boolean;
  readonly spans: SpanList;
  /** If true, only late log lines and errors are accepted. */
  isClosed = false;
  routeNote: RouteNote | undefined;
  parameters: readonly TakenNamed[] = noEntries;
  /** Values of parameters with secret names, which also occur in the path. */
  pathSecrets: readonly string[] | undefined;
  trace: MatchTrace | null = null;
  /** The trace was omitted because the time budget was used up. */
  traceOmitted = false;
  controllerNote: ControllerNote | undefined;
  arguments: readonly TakenNamed[] = noEntries;
  logs: LogLines | undefined;
  exception: ErrorReport | undefined;
  userName: string | null = null;
  isBodyUnread = false;
  requestHead: BodyHead | undefined;
  responseHead: BodyHead | undefined;
  /** Copy of the beginning of a byte body, taken when the body was sent. */
  sentHead: { readonly body: Uint8Array; readonly head: Uint8Array } | undefined;
  sections: SectionInput[] | undefined;
  children: string[] | undefined;
  limits: RecordedLimit[] | undefined;
  /** Neighbours in the linked list of open recordings. */
  older: RequestRecording | undefined;
  newer: RequestRecording | undefined;
  readonly #services: RecordingServices;

  constructor(
    identity: { key: number; token: string; bucket: RecordBucket; parent: string | null; isOnTrial: boolean },
    request: HttpRequest,
    services: RecordingServices,
  ) {
    this.key = identity.key;
    this.token = identity.token;
    this.spans = new SpanList(identity.token);
    this.bucket = identity.bucket;
    this.parent = identity.parent;
    this.isOnTrial = identity.isOnTrial;
    this.request = request;
    this.#services = services;
  }

  get startedAt(): number {
    return this.spans.start;
  }

  /** Closes the recording. Copies data that may change later: body buffers may be reused, and a closed connection has no peer. */
  close(): void {
    const { readBytes, source } = this.request;
    if (readBytes !== undefined && this.requestHead === undefined) this.requestBody(readBytes);
    void source.peer;
    this.isClosed = true;
  }

  enter(id: number): number {
    return this.isClosed ? -1 : this.spans.enter(id);
  }

  leave(place: number, outcome?: SpanOutcome): void {
    if (!this.isClosed) this.spans.leave(place, outcome === undefined ? spanEnd.plain : spanEnd[outcome]);
  }

  route(note: RouteNote, parameters?: Readonly<Record<string, unknown>>): void {
    if (this.isClosed) return;
    try {
      this.routeNote = note;
      const { names, trace } = note;
      if (parameters !== undefined) {
        const { redactor, limits } = this.#services;
        const present = names ?? Object.keys(parameters);
        if (this.bucket === 'app') this.pathSecrets = findSecretValues(parameters, present, redactor);
        const { parameters: max } = limits;
        // Parameters of the profiler's pages are names of records and never secret, even if they are called `token`.
        const options = { redactor, max, isOpen: this.bucket === 'profiler' };
        this.parameters = takeParameters(parameters, present, options);
        const total = present.length > max ? present.filter((one) => one in parameters).length : 0;
        if (total > max) this.#cut({ what: 'route parameters', kept: max, total, limit: max });
      }
      if (trace === undefined) return;
      this.trace = this.#services.traces.take(trace, {
        request: this.request,
        start: this.spans.start,
        isMiss: note.name === null,
      });
      this.traceOmitted = this.trace === null;
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
      this.arguments = takeArguments(kept, described, redactor);
      if (kept.length < args.length)
        this.#cut({ what: 'arguments', kept: kept.length, total: args.length, limit: limits.parameters });
    } catch (error) {
      this.#services.failed(error);
    }
  }

  log(record: LogRecord): void {
    try {
      if (this.isClosed) return this.#logLate(record);
      this.logs ??= new LogLines(this.#services.limits);
      this.logs.add(record, this.#takeLog(record));
    } catch (error) {
      this.#services.failed(error);
    }
  }

  contextOf(record: LogRecord): Picture | undefined {
    return this.logs?.contextOf(record);
  }

  error(thrown: unknown, report?: ErrorReport): void {
    if (this.isClosed) return;
    try {
      this.exception = report ?? flattenError(thrown, this.#services.flatten);
    } catch (error) {
      this.#services.failed(error);
    }
  }

  lateError(thrown: unknown): void {
    try {
      const { flatten, late } = this.#services;
      if (!this.isClosed && this.exception !== undefined) return;
      const report = withoutOuterError(flattenError(thrown, flatten));
      if (this.isClosed) late.error(this.token, report);
      else this.exception = report;
    } catch (error) {
      this.#services.failed(error);
    }
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
  }

  responseBody(chunk: Uint8Array | string): void {
    if (this.isClosed) return;
    (this.responseHead ??= new BodyHead(this.#services.limits.responseBody)).add(chunk);
  }

  sentBytes(body: Uint8Array): void {
    if (this.isClosed) return;
    this.sentHead = { body, head: Uint8Array.from(body.subarray(0, this.#services.limits.responseBody)) };
  }

  section(name: string, data: unknown): void {
    if (this.isClosed || data === undefined) return;
    try {
      this.setSection({ name, form: plainForm, data: this.copied(name, data) });
    } catch (error) {
      this.#services.failed(error);
    }
  }

  /** Copies data without its secrets; notes in `limits` if the copy is truncated. */
  copied(name: string, data: unknown): unknown {
    const { limits, redactor } = this.#services;
    const copy = copyPlain(data, redactor, limits.section);
    if (copy.cut) this.#cut({ what: `section ${name}`, ...over(limits.section) });
    return copy.data;
  }

  /** Adds a section, or replaces the one of the same name. */
  setSection(section: SectionInput): void {
    const max = this.#services.limits.sections;
    const sections = this.sections?.filter((other) => other.name !== section.name) ?? [];
    if (sections.push(section) <= max) this.sections = sections;
    else this.#cut({ what: 'sections', ...over(max) });
  }

  /** Adds the token of a request that this one made. */
  child(token: string): void {
    const { children: max } = this.#services.limits;
    if ((this.children ??= []).length < max) this.children.push(token);
    else this.#cut({ what: 'children', ...over(max) });
  }

  limit(limit: RecordedLimit): void {
    (this.limits ??= []).push(limit);
  }

  /** Passes on a line that was logged after the record was closed, if it is a warning or worse. */
  #logLate(record: LogRecord): void {
    const { time, level, channel } = record;
    if (logLevels.indexOf(level) < warning) return;
    const { message, offsetMs, context } = this.#takeLog(record);
    this.#services.late.log(this.token, {
      time,
      offsetMs,
      level,
      channel: channel.slice(0, maxChannelLength),
      message,
      ...(context === null ? {} : { context }),
    });
  }

  /** Prepares a log line. The picture of the context is taken now, since the objects may change later. */
  #takeLog({ message, context }: LogRecord): { message: string; offsetMs: number; context: Picture | null } {
    const { redactor, limits, picture } = this.#services;
    const max = limits.message;
    const isCut = message.length > max;
    return {
      message: redactor.text(isCut ? message.slice(0, max) : message) + (isCut ? '… [cut]' : ''),
      offsetMs: fromTicks(this.spans.now()),
      context: context === undefined ? null : picture(context),
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

const noEntries: readonly never[] = [];
