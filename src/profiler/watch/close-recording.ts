import { sectionFormOf, type SectionInput, sectionNumbers } from '../form/sections.js';
import { findField, type HttpRequest, type HttpResponse, requestLocale, type SentResponse } from '#http';
import { hidePathValues, type Redactor } from '#dump';
import type { RecordInput } from '../form/record-form.js';
import type { WrittenRecord } from '../form/segment-writer.js';
import type { SummaryInput } from '../form/summary-columns.js';
import { fromTicks } from '../form/ticks.js';
import type { Collector } from '../model/collector.js';
import type { VisitorThreads } from '../redact/visitor-threads.js';
import { takeBody, type TakenBody } from '../redact/take-body.js';
import { hideInTrace } from './path-secrets.js';
import { findErrorPlace } from './find-error-place.js';
import type { ProcessSample } from './process-sampler.js';
import type { RecorderLimits } from './recorder-limits.js';
import { breakdownOfSpans } from '../form/time-breakdown.js';
import type { TimelineEntry } from '../model/time-breakdown.js';
import { findTrace, receivedTrace } from './request-trace.js';
import type { RequestRecording } from './request-recording.js';
import { numbersOfSpan } from '../form/spans.js';

/** How a request ended, and the state of the process at that time. */
export interface Closing {
  /** Undefined if no response was created. */
  readonly response: HttpResponse | undefined;
  /** Undefined if nothing has been sent. */
  readonly sent: SentResponse | undefined;
  readonly sequence: number;
  /** Ticks since the beginning of the request. */
  readonly end: number;
  readonly sample: ProcessSample;
  /** Time spans reported by the sections. */
  readonly reported: readonly TimelineEntry[];
}

/** Services shared by all records of a profiler. */
export interface ClosingServices {
  readonly redactor: Redactor;
  readonly limits: RecorderLimits;
  readonly visitors: VisitorThreads;
}

const maxMessageLength = 500;
const maxHeaderLength = 16_384;
/** Maximum number of names and values together. */
const maxHeaderTexts = 512;
const maxRawHeadLength = 4096;
const maxTargetLength = 16_384;
const noLogs: RecordInput['logs'] = { lines: [], byLevel: [], omitted: 0, omittedAfter: 0 };
const noSections: readonly never[] = [];

/** Builds the constant part of a collector's section: everything except its data. */
export function declareSection(
  { name, part = {} }: Collector,
  failed: (error: unknown) => void,
): Omit<SectionInput, 'data'> {
  return { name, form: sectionFormOf(part.form ?? 'value'), numbers: sectionNumbers(name, part, failed) };
}

/** Converts a recording to what is written: bounded and without secrets. */
export function closeRecording(
  recording: RequestRecording,
  closing: Closing,
  services: ClosingServices,
): WrittenRecord {
  return {
    key: recording.key,
    summary: summaryOf(recording, closing, services),
    record: recordOf(recording, closing, services),
    sections: recording.sections ?? noSections,
  };
}

function summaryOf(
  recording: RequestRecording,
  closing: Closing,
  { redactor, visitors }: ClosingServices,
): SummaryInput {
  const { request, exception, logs, spans } = recording;
  const { sent } = closing;
  const { method, address, origin } = readFacts(request);
  const durationMs = fromTicks(closing.end);
  const breakdown = breakdownOfSpans(spans.endedAt(closing.end), closing.reported, durationMs);
  const summary: Record<string, string | number | null> & SummaryInput = {
    sequence: closing.sequence,
    startedAt: spans.start + closing.sample.epoch,
    durationMs,
    appMs: breakdown.app,
    databaseMs: breakdown.database,
    httpMs: breakdown.http,
    renderingMs: breakdown.rendering,
    state: sent === undefined ? 'unfinished' : sent.completed ? 'complete' : 'aborted',
    method,
    origin,
    target: targetOf(request.source.target, recording.pathSecrets, redactor),
    status: sent?.status ?? 0,
    clientAddress: address,
    route: recording.routeNote?.name ?? null,
    user: recording.userName,
    parent: recording.parent,
    trace: findTrace(request)?.traceId ?? receivedTrace(request) ?? null,
    visitor: visitors.visitorOf(request, sent?.headers ?? noSections),
    exception: exception === undefined ? null : exception.message.slice(0, maxMessageLength),
    errorClass: exception?.class ?? null,
    errorPlace: exception === undefined ? null : findErrorPlace(exception),
    logs: logs?.total ?? 0,
    warnings: logs?.warnings ?? 0,
    errors: logs?.errors ?? 0,
  };
  for (const { numbers, data } of recording.sections ?? noSections)
    for (const { column, of } of numbers ?? noSections) summary[column] = of(data);
  return summary;
}

/** Reads method, address and origin. Getters of an invalid request may throw; each fact then falls back on its own. */
function readFacts(request: HttpRequest): { method: string; address: string; origin: string } {
  try {
    return { method: request.method, address: request.clientAddress ?? '', origin: request.origin };
  } catch {
    const { method, peer } = request.source;
    return {
      method: tryToRead(() => request.method) ?? method,
      address: tryToRead(() => request.clientAddress) ?? peer.address ?? '',
      origin: tryToRead(() => request.origin) ?? '',
    };
  }
}

/** Redacts secrets in a request target, including those in its path, and truncates it if it is very long. */
function targetOf(raw: string, pathSecrets: readonly string[] | undefined, redactor: Redactor): string {
  const clean = redactor.url(raw.length > maxTargetLength ? `${raw.slice(0, maxTargetLength)}… [cut]` : raw);
  return pathSecrets === undefined ? clean : hidePathValues(clean, pathSecrets);
}

function tryToRead(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function recordOf(recording: RequestRecording, closing: Closing, services: ClosingServices): RecordInput {
  const { request, routeNote, controllerNote, spans, exception, trace } = recording;
  const { source } = request;
  const { end, sample } = closing;
  const { redactor } = services;
  const requestHeaders = cleanHeaders(request.headers.raw, redactor);
  const place = controllerNote?.place?.();
  return {
    request: {
      httpVersion: source.httpVersion,
      address: source.peer.address ?? '',
      port: source.peer.port,
      locale: request.scope.get(requestLocale) ?? null,
      headers: requestHeaders,
      body: requestBodyOf(recording, services),
      rawHead: source.rawHead === undefined ? null : redactor.text(source.rawHead.slice(0, maxRawHeadLength)),
    },
    response: responseOf(recording, closing, services),
    route:
      routeNote === undefined
        ? null
        : {
            path: routeNote.path,
            parameters: recording.parameters,
            isUntraced: recording.traceOmitted,
            trace: trace && hideInTrace(trace, { secrets: recording.pathSecrets, redactor }),
            allow: routeNote.allow ?? noSections,
          },
    controller:
      controllerNote === undefined
        ? null
        : {
            name: controllerNote.name,
            file: place?.file ?? null,
            line: place?.line ?? null,
            arguments: recording.arguments,
          },
    spans: spans.endedAt(end),
    logs: recording.logs?.toInput() ?? noLogs,
    exception: exception ?? null,
    children: recording.children ?? noSections,
    runtime: sample.runtime,
    sampledMsAgo: Math.max(0, spans.start + fromTicks(end) - sample.at),
    limits: limitsOf(recording, closing, services.limits),
  };
}

function responseOf(
  { responseHead, sentHead }: RequestRecording,
  { sent, response }: Closing,
  { redactor, limits }: ClosingServices,
): RecordInput['response'] {
  if (sent === undefined) return null;
  const contentType = findField(sent.headers, 'content-type') ?? '';
  const own = response?.body;
  const options = { redactor, limit: limits.responseBody };
  let body: TakenBody | null = null;
  if (responseHead !== undefined) {
    const { bytes } = responseHead;
    body = takeBody({ content: responseHead.content(), bytes, contentType }, options);
  } else if ((typeof own === 'string' || own instanceof Uint8Array) && sent.bodyBytes > 0) {
    // `bodyBytes` is 0 if the body was not sent (HEAD, 304): the record must not show it as sent.
    const content = sentHead?.body === own ? sentHead.head : own;
    body = takeBody({ content, bytes: sent.bodyBytes, contentType }, options);
  }
  return { headers: cleanHeaders(sent.headers, redactor), bodyBytes: sent.bodyBytes, body };
}

function requestBodyOf(
  { request, requestHead, isBodyUnread: isUnread }: RequestRecording,
  { redactor, limits }: ClosingServices,
): TakenBody | null {
  const read = request.readBytes;
  if (read === undefined && requestHead === undefined) return null;
  const contentType = findField(request.headers.raw, 'content-type') ?? '';
  const content = requestHead?.content() ?? read;
  if (content === undefined) return null;
  const bytes = requestHead?.bytes ?? read?.byteLength ?? 0;
  return takeBody({ content, bytes, contentType, isUnread }, { redactor, limit: limits.requestBody });
}

function limitsOf(
  recording: RequestRecording,
  { sent }: Closing,
  limits: RecorderLimits,
): RecordInput['limits'] {
  const { logs, spans, request } = recording;
  const found = [...(recording.limits ?? noSections)];
  const total = logs?.total ?? 0;
  const omitted = logs?.omitted ?? 0;
  if (omitted > 0) found.push({ what: 'logs', kept: total - omitted, total, limit: limits.logs });
  const kept = spans.length / numbersOfSpan;
  if (spans.dropped > 0) found.push({ what: 'timeline', kept, total: kept + spans.dropped, limit: kept });
  for (const [what, raw] of [
    ['request headers', request.headers.raw],
    ['response headers', sent?.headers ?? noSections],
  ] as const)
    if (raw.length > maxHeaderTexts)
      found.push({ what, kept: maxHeaderTexts / 2, total: raw.length / 2, limit: maxHeaderTexts / 2 });
  return found;
}

function cleanHeaders(raw: readonly string[], redactor: Redactor): readonly string[] {
  const kept = raw.length > maxHeaderTexts ? raw.slice(0, maxHeaderTexts) : raw;
  const clean = redactor.headers(kept);
  for (const text of clean) if (text.length > maxHeaderLength) return clean.map(cutHeader);
  return clean;
}

function cutHeader(text: string): string {
  return text.length > maxHeaderLength ? `${text.slice(0, maxHeaderLength)}… [cut]` : text;
}
