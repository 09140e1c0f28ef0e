import {
  findField,
  type HttpRequest,
  type HttpResponse,
  requestLocale,
  type RequestHeaders,
  type SentResponse,
} from '#http';
import type { RecordedLimit } from '../model/profile-record.js';
import type { CustomSection, ProcessSample, RawBody, RawRecord } from '../record/raw-record.js';
import { numbersOfSpan } from '../record/spans.js';
import { typeOfHead, fieldsOfHead } from '../record/read-message.js';
import { isRecordedType } from '../redact/take-body.js';
import type { RecorderLimits } from './recorder-limits.js';
import type { RequestRecording, TapedSection } from './request-recording.js';
import { findTrace, receivedTrace } from './request-trace.js';

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
}

/** What decides how much of a request is written down. */
export interface WritingOptions {
  readonly limits: RecorderLimits;
  readonly bodyTypes?: readonly string[] | undefined;
}

/** Maximum number of names and values of a message together. */
const maxHeaderTexts = 512;
const maxRawHeadLength = 4096;
/** Characters of a response's head that are written down as they are. */
const maxWrittenHead = 8192;
const maxTargetLength = 16_384;
const noTexts: readonly never[] = [];

/**
 * Returns what is written down of a recording: raw, and bounded by length alone. It contains secrets, so it goes nowhere
 * but to the writer of this process.
 */
export function composeRawRecord(
  recording: RequestRecording,
  closing: Closing,
  options: WritingOptions,
): RawRecord {
  const { request, spans, exception, routeNote, sections } = recording;
  const { source } = request;
  const { sent, end, sample } = closing;
  const { method, address, origin } = readFacts(request);
  const answered = answeredOf(sent);
  spans.endAt(end);
  return {
    id: recording.id,
    sequence: closing.sequence,
    bucket: recording.bucket,
    startedAt: Math.round((spans.start + sample.epoch) * 1000) / 1000, // as precisely as it is stored
    end,
    method,
    target: cut(source.target, maxTargetLength),
    origin,
    clientAddress: address,
    peer: [source.peer.address ?? '', source.peer.port],
    httpVersion: source.httpVersion,
    received: boundedFields(request.headers.raw),
    receivedNames: namesOf(request.headers),
    answered,
    locale: request.scope.get(requestLocale),
    user: recording.userName ?? undefined,
    trace: findTrace(request)?.traceId ?? receivedTrace(request),
    body: requestBodyOf(recording, options),
    rawHead: source.rawHead?.slice(0, maxRawHeadLength),
    sent:
      sent === undefined
        ? undefined
        : responseOf(recording, { sent, answered, own: closing.response?.body }, options),
    route: routeNote === undefined ? undefined : routeOf(recording, routeNote),
    controller: controllerOf(recording),
    spans: spans.numbers,
    logs: recording.logs?.toRaw(),
    exception,
    sections: sections && ownOf(sections),
    custom: sections && customOf(sections),
    limits: limitsOf(recording, closing, options.limits),
  };
}

/** Names of the fields of requests, by what requests with the same names share. */
const knownNames = new WeakMap<object, string>();

function namesOf({ raw, places }: RequestHeaders): string | undefined {
  if (raw.length === 0 || raw.length > maxHeaderTexts) return undefined;
  let names = knownNames.get(places);
  if (names === undefined) {
    const list = raw.filter((_, at) => at % 2 === 0);
    // No parser of HTTP gives such a name; a request that was made otherwise may have it.
    names = list.some((name) => name.includes('\n')) ? '' : list.join('\n');
    knownNames.set(places, names);
  }
  return names === '' ? undefined : names;
}

/** The fields of a response; its head as it was written, where that is short: the writer takes it apart. */
function answeredOf(sent: SentResponse | undefined): readonly string[] | string {
  if (sent?.head === undefined) return boundedFields(sent?.headers ?? noTexts);
  return sent.head.length <= maxWrittenHead ? sent.head : boundedFields(fieldsOfHead(sent.head));
}

function boundedFields(fields: readonly string[]): readonly string[] {
  return fields.length > maxHeaderTexts ? fields.slice(0, maxHeaderTexts) : fields;
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

function tryToRead(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function routeOf(
  { parameters, trace, traceOmitted }: RequestRecording,
  note: NonNullable<RequestRecording['routeNote']>,
): RawRecord['route'] {
  const { name, path, allow } = note;
  return { name, path, parameters, trace: trace ?? undefined, isUntraced: traceOmitted || undefined, allow };
}

function controllerOf({ controllerNote, arguments: args }: RequestRecording): RawRecord['controller'] {
  if (controllerNote === undefined) return undefined;
  const place = controllerNote.place?.();
  return { name: controllerNote.name, file: place?.file, line: place?.line, arguments: args };
}

function ownOf(sections: readonly TapedSection[]): RawRecord['sections'] {
  const own: [string, unknown][] = [];
  for (const { name, data, isCustom } of sections) if (!isCustom) own.push([name, data]);
  return own;
}

function customOf(sections: readonly TapedSection[]): CustomSection[] | undefined {
  if (!sections.some(({ isCustom }) => isCustom)) return undefined;
  const custom = sections.filter(({ isCustom }) => isCustom);
  return custom.map(({ name, data, numbers, timeline }) => ({ name, data, numbers, timeline }));
}

function requestBodyOf(
  { request, requestHead, isBodyUnread }: RequestRecording,
  { limits, bodyTypes }: WritingOptions,
): RawBody | undefined {
  const read = request.readBytes;
  const content = requestHead?.content() ?? read;
  if (content === undefined) return undefined;
  const bytes = requestHead?.bytes ?? read?.byteLength ?? 0;
  const limit = isKept(request.headers.raw, bodyTypes) ? limits.requestBody : 0;
  const { content: head, isBytes } = contentOf(content, limit);
  return { content: head, isBytes, bytes, isUnread: isBodyUnread || undefined };
}

function responseOf(
  { responseHead, sentHead }: RequestRecording,
  { sent, answered, own }: { sent: SentResponse; answered: readonly string[] | string; own: unknown },
  { limits, bodyTypes }: WritingOptions,
): RawRecord['sent'] {
  const { status, bodyBytes, completed } = sent;
  const isText = typeof own === 'string' || own instanceof Uint8Array;
  if (responseHead === undefined && !isText) return { status, bodyBytes, completed };
  const limit = isKept(answered, bodyTypes) ? limits.responseBody : 0;
  let body: RawBody | undefined;
  if (responseHead !== undefined) {
    const { content, isBytes } = contentOf(responseHead.content(), limit);
    body = { content, isBytes, bytes: responseHead.bytes };
  } else if (isText && bodyBytes > 0) {
    // `bodyBytes` is 0 if the body was not sent (HEAD, 304): the record must not show it as sent.
    const { content, isBytes } = contentOf(sentHead?.body === own ? sentHead.head : own, limit);
    body = { content, isBytes, bytes: bodyBytes };
  }
  return { status, bodyBytes, completed, body };
}

function isKept(fields: readonly string[] | string, bodyTypes: readonly string[] | undefined): boolean {
  const type = typeof fields === 'string' ? typeOfHead(fields) : findField(fields, 'content-type');
  return isRecordedType(type ?? '', bodyTypes);
}

/** The beginning of a body; the limit is 0 for types of which the record has no content. */
function contentOf(content: Uint8Array | string, limit: number): Pick<RawBody, 'content' | 'isBytes'> {
  if (limit === 0) return { content: '', isBytes: undefined };
  if (typeof content === 'string')
    return { content: content.length > limit ? content.slice(0, limit) : content, isBytes: undefined };
  const { buffer, byteOffset, byteLength } = content;
  const head = Buffer.from(buffer, byteOffset, Math.min(byteLength, limit));
  return { content: head.toString('base64'), isBytes: true };
}

function limitsOf(
  recording: RequestRecording,
  { sent }: Closing,
  limits: RecorderLimits,
): RecordedLimit[] | undefined {
  const { logs, spans, request } = recording;
  const found = recording.limits === undefined ? [] : [...recording.limits];
  const omitted = logs?.omitted ?? 0;
  if (logs !== undefined && omitted > 0)
    found.push({ what: 'logs', kept: logs.total - omitted, total: logs.total, limit: limits.logs });
  const kept = spans.numbers.length / numbersOfSpan;
  if (spans.dropped > 0) found.push({ what: 'timeline', kept, total: kept + spans.dropped, limit: kept });
  const half = maxHeaderTexts / 2;
  const received = request.headers.raw.length;
  const answered = sent?.head === undefined ? (sent?.headers.length ?? 0) : textsOf(sent.head);
  if (received > maxHeaderTexts)
    found.push({ what: 'request headers', kept: half, total: received / 2, limit: half });
  if (answered > maxHeaderTexts)
    found.push({ what: 'response headers', kept: half, total: answered / 2, limit: half });
  return found.length === 0 ? undefined : found;
}

/** The texts of a head that is too long to be written down as it is; no other is cut. */
function textsOf(head: string): number {
  return head.length <= maxWrittenHead ? 0 : fieldsOfHead(head).length;
}

function cut(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}… [cut]` : text;
}
