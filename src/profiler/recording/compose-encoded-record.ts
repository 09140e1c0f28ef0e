import {
  findField,
  type HttpRequest,
  type HttpResponse,
  type RequestHeaders,
  type SentResponse,
} from '#core/http';
import { safely } from '#core/coded-error';
import type { RecordedLimit } from '../model/profile-record.js';
import { requestFactList, responseFactList } from '../model/recorded-facts.js';
import type {
  ProcessSample,
  EncodedBody,
  EncodedController,
  EncodedRecord,
} from '../encoding/encoded-record.js';
import { typeOfHead } from '../encoding/read-message.js';
import { isRecordedType } from '../encoding/take-body.js';
import type { RecorderServices } from './recorder-services.js';
import type { RequestRecording } from './request-recording.js';
import { maxSpans } from './span-list.js';
import { cutRecorded } from '../model/formatting.js';

/** How a request ended, and the process state at that time. */
export interface Closing {
  /** Undefined if no response was created. */
  readonly response: HttpResponse | undefined;
  /** Undefined if nothing has been sent. */
  readonly sent: SentResponse | undefined;
  readonly sequence: number;
  /** Ticks since the beginning of the request. */
  readonly end: number;
  readonly sample: ProcessSample;
  /** The controller is located later. */
  readonly isUnlocated: boolean;
}

/** Placeholder for a response that was never sent. */
export const nothingSent: SentResponse = { status: 0, headers: [], bodyBytes: 0, completed: false };

type Bounds = Pick<RecorderServices, 'limits' | 'bodyTypes' | 'failed'>;

const maxTargetLength = 16_384;

/** Returns a recording's encoded form. It still contains secrets, so it must only reach this process's writer. */
export function composeEncodedRecord(
  recording: RequestRecording,
  closing: Closing,
  bounds: Bounds,
): EncodedRecord {
  const { request, spans } = recording;
  const { source, headers } = request;
  const { sent, end, sample } = closing;
  const { method, baseUrl } = readIdentity(request);
  const answered = sent === undefined ? '' : (sent.head ?? renderHead(sent.headers));
  return {
    id: recording.id,
    sequence: closing.sequence,
    origin: recording.origin,
    startedAt: Math.round((spans.start + sample.epoch) * 1000) / 1000, // rounded as it is stored
    end,
    method,
    target: cutRecorded(source.target, maxTargetLength),
    baseUrl,
    peer: [source.peer.address ?? '', source.peer.port],
    facts: requestFactList.read(recording, sent ?? nothingSent, bounds.failed),
    received: { names: namesOf(headers), values: everySecond(headers.raw, 1) },
    answered,
    body: requestBodyOf(recording, bounds),
    sent: sent && {
      facts: responseFactList.read(recording, sent, bounds.failed),
      body: sentBodyOf(recording, sent, closing.response?.body, bounds),
    },
    route: recording.routed,
    controller: controllerOf(recording, closing),
    spans: spans.endAt(end),
    // If spans were dropped, it is unknown which listeners were called.
    registered: spans.dropped > 0 ? undefined : recording.registered,
    logs: recording.logs?.toRaw(),
    exception: recording.exception,
    sections: recording.sections ?? [],
    limits: limitsOf(recording, bounds.limits),
  };
}

/** Renders a response head from its header fields alone. */
function renderHead(fields: readonly string[]): string {
  let head = '\r\n';
  for (let at = 0; at + 1 < fields.length; at += 2) head += `${fields[at]}: ${fields[at + 1]}\r\n`;
  return head;
}

/** Header names of requests, cached by an object shared by requests with the same names. */
const knownNames = new WeakMap<object, string>();

function namesOf({ raw, locations }: RequestHeaders): string {
  let names = knownNames.get(locations);
  if (names === undefined) {
    // HTTP parsers reject names with line breaks, but requests built in code may contain them.
    names = everySecond(raw, 0)
      .map((name) => name.replaceAll('\n', ' '))
      .join('\n');
    knownNames.set(locations, names);
  }
  return names;
}

function everySecond(texts: readonly string[], from: 0 | 1): string[] {
  const found: string[] = [];
  for (let at = from; at < texts.length; at += 2) found.push(texts[at] ?? '');
  return found;
}

/** Reads method and base URL. An invalid request's getters may throw, so each has its own fallback. */
function readIdentity(request: HttpRequest): { method: string; baseUrl: string } {
  try {
    return { method: request.method, baseUrl: publicBaseUrl(request) };
  } catch {
    return {
      method: safely(() => request.method, request.source.method),
      baseUrl: safely(() => publicBaseUrl(request), ''),
    };
  }
}

/**
 * Returns the origin and the path prefix removed by a proxy. Followed by the target, this is the client's
 * URL.
 */
function publicBaseUrl({ origin, publicTarget, source: { target } }: HttpRequest): string {
  return origin + publicTarget.slice(0, publicTarget.length - target.length);
}

function controllerOf(
  { controllerNote, arguments: values }: RequestRecording,
  { isUnlocated }: Closing,
): EncodedController | undefined {
  if (controllerNote === undefined) return undefined;
  const location = isUnlocated === true ? undefined : controllerNote.location?.();
  return { name: controllerNote.name, file: location?.file, line: location?.line ?? 0, arguments: values };
}

function requestBodyOf(
  { request, requestHead, isBodyUnread }: RequestRecording,
  { limits, bodyTypes }: Bounds,
): EncodedBody | undefined {
  const content = requestHead?.content() ?? request.readBytes;
  if (content === undefined) return undefined;
  const bytes = requestHead?.bytes ?? content.length;
  const type = findField(request.headers.raw, 'content-type') ?? '';
  const limit = isRecordedType(type, bodyTypes) ? limits.requestBody : 0;
  return bodyOf(content, { bytes, limit, isUnread: isBodyUnread });
}

function sentBodyOf(
  { responseHead, sentHead }: RequestRecording,
  sent: SentResponse,
  own: unknown,
  { limits, bodyTypes }: Bounds,
): EncodedBody | undefined {
  // Bodies omitted by HTTP (HEAD, 304) send no bytes and must not be recorded as sent.
  const bytes = responseHead?.bytes ?? sent.bodyBytes;
  const content = responseHead?.content() ?? (sentHead?.body === own ? sentHead?.head : own);
  if (bytes === 0 || !(typeof content === 'string' || content instanceof Uint8Array)) return undefined;
  const { head, headers } = sent;
  const type =
    headers.length === 0 && head !== undefined
      ? typeOfHead(head)
      : (findField(headers, 'content-type') ?? '');
  const limit = isRecordedType(type, bodyTypes) ? limits.responseBody : 0;
  return bodyOf(content, { bytes, limit, isUnread: false });
}

/** Takes the beginning of a body. The limit is 0 for media types whose content is not recorded. */
function bodyOf(
  content: Uint8Array | string,
  { bytes, limit, isUnread }: { readonly bytes: number; readonly limit: number; readonly isUnread: boolean },
): EncodedBody {
  const isBytes = limit > 0 && typeof content !== 'string';
  const head =
    limit === 0 ? '' : typeof content === 'string' ? content.slice(0, limit) : base64Of(content, limit);
  return { content: head, isBytes, bytes, isUnread };
}

function base64Of({ buffer, byteOffset, byteLength }: Uint8Array, limit: number): string {
  return Buffer.from(buffer, byteOffset, Math.min(byteLength, limit)).toString('base64');
}

function limitsOf(
  { logs, spans, limits }: RequestRecording,
  { logs: maxLogs }: RecorderServices['limits'],
): RecordedLimit[] | undefined {
  const found = limits === undefined ? [] : [...limits];
  if (logs !== undefined && logs.omitted > 0)
    found.push({ what: 'logs', kept: logs.total - logs.omitted, total: logs.total, limit: maxLogs });
  if (spans.dropped > 0)
    found.push({ what: 'timeline', kept: maxSpans, total: maxSpans + spans.dropped, limit: maxSpans });
  return found.length === 0 ? undefined : found;
}
