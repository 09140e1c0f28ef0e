import type { ErrorReport, FlattenOptions } from '#errors';
import { flattenError } from '#errors';
import type { HttpRequest } from '#http';
import type { LogRecord } from '#log';
import { logLevels } from '#log';
import type { Picture, Redactor } from '#dump';
import type { MatchTrace } from '#routing';
import type { RecordBucket, RecordedLimit } from '../model/profile-record.js';
import type { ControllerNote, Recording, RouteNote, SpanOutcome } from '../model/recording.js';
import { BodyHead } from './body-head.js';
import type { LateNotes } from './late-notes.js';
import type { LogContexts } from './log-contexts.js';
import type { TakenLog } from './log-list.js';
import { type NamedValues, noValues } from './named-values.js';
import { PackedSection } from './packed-section.js';
import { weighPicture } from './picture-tape.js';
import type { PlainCopies } from './plain-copies.js';
import type { RecorderLimits } from './recorder-limits.js';
import type { TakenSection } from './section-list.js';
import { findSecretValues, takeArguments, takeParameters } from './take-named.js';
import { SharedPicture } from './shared-picture.js';
import { SpanSlots, spanFlag } from './span-slots.js';
import type { TraceBudget } from './trace-budget.js';

/** What all recordings of a profiler have in common. */
export interface RecordingShop {
  readonly redactor: Redactor;
  readonly limits: RecorderLimits;
  readonly flatten: FlattenOptions;
  readonly traces: TraceBudget;
  readonly contexts: LogContexts;
  readonly copies: PlainCopies;
  readonly late: LateNotes;
  /** Something of ours failed; the request goes on. */
  readonly failed: (error: unknown) => void;
}

const warning = logLevels.indexOf('warning');

/**
 * The open recording. Holds references and numbers only; everything that costs is left until the record is written,
 * but for values that could change until then.
 */
export class RequestRecording implements Recording {
  readonly key: number;
  readonly token: string;
  readonly request: HttpRequest;
  readonly bucket: RecordBucket;
  readonly parent: string | null;
  /** The request's header fields, or equal ones of a request before it. */
  readonly rawHeaders: readonly string[];
  /** Of the monotonic clock, in milliseconds. */
  readonly start: number;
  slots: SpanSlots | undefined = SpanSlots.take();
  linkBase = '';
  linkText = '';
  routeNote: RouteNote | undefined;
  parameters: NamedValues = noValues;
  /** Values of parameters with secret names: they stand in the path as well. */
  pathSecrets: string[] | undefined;
  trace: MatchTrace | null = null;
  /** There was no time for it. */
  traceOmitted = false;
  controllerNote: ControllerNote | undefined;
  arguments: NamedValues = noValues;
  logs: TakenLog[] | undefined;
  logCount = 0;
  warnings = 0;
  exception: ErrorReport | undefined;
  userName: string | null = null;
  isBodyUnread = false;
  requestHead: BodyHead | undefined;
  responseHead: BodyHead | undefined;
  sections: TakenSection[] | undefined;
  children: string[] | undefined;
  limits: RecordedLimit[] | undefined;
  /** Neighbours among the open recordings. */
  newer: RequestRecording | undefined;
  older: RequestRecording | undefined;
  readonly #shop: RecordingShop;
  #logText = 0;

  constructor(
    identity: { key: number; token: string; bucket: RecordBucket; parent: string | null },
    request: HttpRequest,
    shop: RecordingShop,
  ) {
    this.key = identity.key;
    this.token = identity.token;
    this.bucket = identity.bucket;
    this.parent = identity.parent;
    this.request = request;
    this.rawHeaders = request.headers.raw;
    this.#shop = shop;
    this.start = this.slots?.start ?? 0;
  }

  link(base: string): string {
    this.linkBase = base;
    return (this.linkText = base + this.token);
  }

  enter(id: number, follows = false): number {
    return this.slots?.enter(id, follows) ?? -1;
  }

  leave(place: number, outcome?: SpanOutcome, follows = false): void {
    const flag = outcome === undefined ? spanFlag.none : spanFlag[outcome];
    this.slots?.leave(place, flag, follows);
  }

  route(note: RouteNote, parameters?: Readonly<Record<string, unknown>>): void {
    if (this.slots === undefined) return;
    try {
      this.routeNote = note;
      const { names, trace } = note;
      if (parameters !== undefined) {
        const { redactor, limits } = this.#shop;
        if (this.bucket === 'app') this.pathSecrets = findSecretValues(parameters, redactor);
        this.parameters = takeParameters(parameters, names ?? Object.keys(parameters), {
          redactor,
          most: limits.parameters,
          // Those of the profiler's pages are names of records, whatever they are called.
          isOpen: this.bucket === 'profiler',
        });
      }
      if (trace === undefined) return;
      this.trace = this.#shop.traces.take(trace, this, note.name === null);
      this.traceOmitted = this.trace === null;
    } catch (error) {
      this.#shop.failed(error);
    }
  }

  controller(
    note: ControllerNote,
    args: readonly unknown[],
    described: readonly { readonly name: string }[] = none,
  ): void {
    if (this.slots === undefined) return;
    try {
      this.controllerNote = note;
      const { redactor, limits } = this.#shop;
      const kept = args.length > limits.parameters ? args.slice(0, limits.parameters) : args;
      this.arguments = takeArguments(kept, described, redactor);
      if (kept.length < args.length) this.#cut('arguments', kept.length, args.length, limits.parameters);
    } catch (error) {
      this.#shop.failed(error);
    }
  }

  log(record: LogRecord): void {
    try {
      if (this.slots === undefined) {
        this.#logLate(record);
        return;
      }
      this.logCount++;
      if (logLevels.indexOf(record.level) >= warning) this.warnings++;
      const { limits } = this.#shop;
      if ((this.logs?.length ?? 0) >= limits.logs || this.#logText > limits.logText) return;
      const whole = record.message;
      const message = whole.length > limits.message ? `${whole.slice(0, limits.message)}… [cut]` : whole;
      const context = this.#shop.contexts.take(record.context);
      this.#logText +=
        message.length +
        (context === undefined
          ? 0
          : context instanceof SharedPicture
            ? context.weight
            : weighPicture(context));
      const taken = { record, message, context };
      if (this.logs === undefined) this.logs = [taken];
      else this.logs.push(taken);
    } catch (error) {
      this.#shop.failed(error);
    }
  }

  contextOf(record: LogRecord): Picture | undefined {
    const context = this.logs?.find((taken) => taken.record === record)?.context;
    return context instanceof SharedPicture ? context.picture : context;
  }

  error(thrown: unknown, report?: ErrorReport): void {
    if (this.slots === undefined) return;
    try {
      this.exception = report ?? flattenError(thrown, this.#shop.flatten);
    } catch (error) {
      this.#shop.failed(error);
    }
  }

  lateError(thrown: unknown): void {
    try {
      const { flatten, late } = this.#shop;
      if (this.slots !== undefined && this.exception !== undefined) return;
      const report = unseen(flattenError(thrown, flatten));
      if (this.slots === undefined) late.error(this.token, report);
      else this.exception = report;
    } catch (error) {
      this.#shop.failed(error);
    }
  }

  user(identifier: string): void {
    if (typeof identifier === 'string') this.userName = identifier.slice(0, 300);
  }

  unreadBody(): void {
    if (this.slots !== undefined) this.isBodyUnread = true;
  }

  requestBody(chunk: Uint8Array | string): void {
    if (this.slots === undefined) return;
    (this.requestHead ??= new BodyHead(this.#shop.limits.requestBody)).add(chunk);
  }

  responseBody(chunk: Uint8Array | string): void {
    if (this.slots === undefined) return;
    (this.responseHead ??= new BodyHead(this.#shop.limits.responseBody)).add(chunk);
  }

  section(name: string, data: unknown): void {
    if (this.slots === undefined || data === undefined) return;
    try {
      if (PackedSection.isOne(data)) {
        this.#setSection({ name, data });
        return;
      }
      const { limits, copies } = this.#shop;
      const { json, cut, shared } = copies.take(data, limits.section);
      const isKept = this.#setSection({ name, data: shared ?? json });
      if (cut && isKept) this.#cut(`section ${name}`, json.length, json.length + 1, limits.section);
    } catch (error) {
      this.#shop.failed(error);
    }
  }

  /** The last data given for a name counts; false where there is no room for one more. */
  #setSection(section: TakenSection): boolean {
    if (this.sections === undefined) {
      this.sections = [section];
      return true;
    }
    const most = this.#shop.limits.sections;
    const known = this.sections.findIndex((other) => other.name === section.name);
    if (known !== -1) this.sections[known] = section;
    else if (this.sections.length < most) this.sections.push(section);
    else this.#cut('sections', most, most + 1, most);
    return this.sections.includes(section);
  }

  /** A request that this one made. */
  child(token: string): void {
    const { children: most } = this.#shop.limits;
    this.children ??= [];
    if (this.children.length < most) this.children.push(token);
    else this.#cut('children', most, this.children.length + 1, most);
  }

  limit(limit: RecordedLimit): void {
    (this.limits ??= []).push(limit);
  }

  /** Less than a warning is not worth to be remembered beside a closed record. */
  #logLate({ level, channel, message, time, context: given }: LogRecord): void {
    if (logLevels.indexOf(level) < warning) return;
    const { late, redactor, limits, contexts } = this.#shop;
    const context = contexts.take(given);
    late.log(this.token, {
      time,
      offsetMs: performance.now() - this.start,
      level,
      channel: channel.slice(0, 200),
      message: redactor.text(message.slice(0, limits.message)),
      ...(context === undefined
        ? {}
        : { context: context instanceof SharedPicture ? context.picture : context }),
    });
  }

  #cut(what: string, kept: number, total: number, limit: number): void {
    const known = this.limits?.findIndex((other) => other.what === what) ?? -1;
    const entry = { what, kept, total, limit };
    if (known === -1 || this.limits === undefined) this.limit(entry);
    else this.limits[known] = { ...entry, total: Math.max(total, (this.limits[known]?.total ?? 0) + 1) };
  }
}

/** What failed behind the response: no error of it is the one that the client saw. */
function unseen(report: ErrorReport): ErrorReport {
  return { ...report, errors: report.errors.map((error) => ({ ...error, isOuter: false })) };
}

const none: readonly never[] = [];
