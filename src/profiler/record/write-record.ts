import { hidePathValues, redactedMark, type Redactor } from '#dump';
import { findField, requestLocale } from '#http';
import type { MatchTrace } from '#routing';
import type { RecordedLimit } from '../model/profile-record.js';
import { BodyWriter, type SeenBody } from './body-content.js';
import type { ClosedRecording } from './closed-recording.js';
import { packFrames, type PackedReport } from './frame-words.js';
import { HeaderListWriter } from './header-lists.js';
import { LogListWriter } from './log-list.js';
import type { PackWriter } from './pack-writer.js';
import type { RecorderLimits } from './recorder-limits.js';
import type { RequestRecording } from './request-recording.js';
import { describeRoute, writeRoute } from './route-parts.js';
import { describeSections, writeSections } from './section-list.js';
import type { ShapeTable } from './shape-table.js';
import { SpanListWriter } from './span-list.js';
import { toTicks } from './ticks.js';

/** The parts of a record that few have, as one JSON text. */
export interface RareParts {
  exception?: PackedReport;
  trace?: unknown;
  allow?: readonly string[];
  children?: readonly string[];
  limits?: readonly RecordedLimit[];
  rawHead?: string;
}

/** Writes the records of one segment; what a row of the list has is not written again. */
export class RecordWriter {
  readonly #pack: PackWriter;
  readonly #redactor: Redactor;
  readonly #limits: RecorderLimits;
  readonly #requestHeaders: HeaderListWriter;
  readonly #responseHeaders: HeaderListWriter;
  readonly #requestBody: BodyWriter;
  readonly #responseBody: BodyWriter;
  readonly #spans: SpanListWriter;
  readonly #logs: LogListWriter;

  constructor(pack: PackWriter, redactor: Redactor, limits: RecorderLimits) {
    this.#pack = pack;
    this.#redactor = redactor;
    this.#limits = limits;
    this.#requestHeaders = new HeaderListWriter(pack, redactor);
    this.#responseHeaders = new HeaderListWriter(pack, redactor);
    this.#requestBody = new BodyWriter(pack, redactor, limits.requestBody);
    this.#responseBody = new BodyWriter(pack, redactor, limits.responseBody);
    this.#spans = new SpanListWriter(pack);
    this.#logs = new LogListWriter(redactor);
  }

  write(closed: ClosedRecording): void {
    const { shapes } = this.#pack;
    shapes.begin();
    this.#describe(closed, shapes);
    this.#pack.number(shapes.end());
    this.#writeOwn(closed);
  }

  /** What other records may have as well. */
  #describe(closed: ClosedRecording, shape: ShapeTable): void {
    const { recording, sent, slots } = closed;
    const { request } = recording;
    const { source } = request;
    describeRoute(recording, shape);
    this.#spans.describe(slots);
    shape.add(source.httpVersion);
    shape.add(source.peer.address);
    shape.add(request.scope.get(requestLocale) ?? null);
    shape.add(this.#requestHeaders.find(recording.rawHeaders));
    shape.add(sent === undefined ? 0 : 1);
    if (sent !== undefined) shape.add(this.#responseHeaders.find(sent.headers, recording));
    this.#logs.describe(recording.logs, shape);
    shape.add(closed.runtime);
    shape.add(closed.config);
    describeSections(recording.sections, shape);
  }

  /** What is the record's own. */
  #writeOwn(closed: ClosedRecording): void {
    const pack = this.#pack;
    const { recording } = closed;
    const { source } = recording.request;
    writeRoute(recording, pack);
    this.#spans.write(closed.slots, (closed.end - recording.start) * 1e6);
    pack.number(source.peer.port);
    this.#requestHeaders.write(recording.rawHeaders);
    this.#requestBody.write(requestBodyOf(recording));
    this.#writeResponse(closed);
    this.#logs.write(recording.logs, closed.startedAt, pack);
    pack.number(toTicks(closed.end - closed.sampledAt));
    writeSections(recording.sections, recording.start, pack);
    pack.string(this.#rareParts(closed));
  }

  #writeResponse({ sent, response, recording }: ClosedRecording): void {
    if (sent === undefined) return;
    this.#responseHeaders.write(sent.headers);
    this.#pack.number(sent.bodyBytes);
    const contentType = this.#responseHeaders.contentType(sent.headers);
    const { responseHead } = recording;
    const own = response?.body;
    if (responseHead !== undefined) {
      const { bytes } = responseHead;
      this.#responseBody.write({ content: responseHead.content(), bytes, contentType });
    } else if (typeof own === 'string' || own instanceof Uint8Array) {
      // A body that was not sent (HEAD, 304) is not shown as if it had been.
      this.#responseBody.write(
        sent.bodyBytes === 0 ? undefined : { content: own, bytes: sent.bodyBytes, contentType },
      );
    } else this.#responseBody.write(undefined);
  }

  #rareParts({ recording, slots }: ClosedRecording): string {
    const { exception, trace, routeNote, children, request, logs, logCount } = recording;
    const kept = logs?.length ?? 0;
    const { allow } = routeNote ?? nothing;
    const { rawHead } = request.source;
    const isPlain =
      exception === undefined && trace === null && children === undefined && recording.limits === undefined;
    // Nearly all records under load: nothing rare, nothing made.
    if (isPlain && logCount === kept && slots.dropped === 0 && allow === undefined && rawHead === undefined)
      return '';
    const limits: RecordedLimit[] = [...(recording.limits ?? [])];
    if (logCount > kept) limits.push({ what: 'logs', kept, total: logCount, limit: this.#limits.logs });
    const spans = slots.count;
    if (slots.dropped > 0)
      limits.push({ what: 'timeline', kept: spans, total: spans + slots.dropped, limit: spans });
    const parts: RareParts = {
      ...(exception === undefined ? {} : { exception: packFrames(exception, this.#pack) }),
      ...(trace === null ? {} : { trace: withoutSecrets(trace, recording.pathSecrets, this.#redactor) }),
      ...(allow === undefined || allow.length === 0 ? {} : { allow }),
      ...(children === undefined ? {} : { children }),
      ...(limits.length === 0 ? {} : { limits }),
      ...(rawHead === undefined ? {} : { rawHead: this.#redactor.text(rawHead.slice(0, 4096)) }),
    };
    return JSON.stringify(parts);
  }
}

const nothing: { readonly allow?: readonly string[] } = {};

function requestBodyOf({
  request,
  requestHead,
  isBodyUnread: isUnread,
}: RequestRecording): SeenBody | undefined {
  const read = request.readBytes;
  if (read === undefined && requestHead === undefined) return undefined;
  const contentType = findField(request.source.rawHeaders, 'content-type') ?? '';
  if (requestHead !== undefined)
    return { content: requestHead.content(), bytes: requestHead.bytes, contentType };
  return read === undefined ? undefined : { content: read, bytes: read.byteLength, contentType, isUnread };
}

/** The path that was asked for, and what was said of it, without secrets. */
function withoutSecrets(trace: MatchTrace, secrets: readonly string[] = [], redactor: Redactor): MatchTrace {
  const clean = (text: string): string => secrets.reduce((all, one) => hideIn(all, one), redactor.text(text));
  const path = hidePathValues(redactor.url(trace.path), secrets);
  if (secrets.length === 0 && path === trace.path) return trace;
  return { ...trace, path, rows: trace.rows.map((row) => ({ ...row, reason: clean(row.reason) })) };
}

/** Short ones could be part of any word; what stands in quotes is the value. */
function hideIn(text: string, secret: string): string {
  return secret.length < 4
    ? text.replaceAll(`"${secret}"`, `"${redactedMark}"`)
    : text.replaceAll(secret, redactedMark);
}
