import type { ErrorReport } from '#errors';
import type { MatchTrace } from '#routing';
import type { ProfileRecord, RecordedLimit } from '../model/profile-record.js';
import { recordSchema } from '../model/profile-record.js';
import {
  findHeader,
  type RecordedBody,
  type RecordedHeaders,
  type RecordedRequest,
  type RecordedResponse,
} from '../model/recorded-message.js';
import type { StoredRecord, StoredSummary } from '../model/profile-store.js';
import { PackReader } from '../pack/pack-reader.js';
import { readValue } from '../pack/values.js';
import { formErrors } from './error-codes.js';
import { guardReading } from './guard-reading.js';
import { readLogs } from './read-logs.js';
import { readCookies, readParsed, readTargetQuery, readSetCookies } from './read-message.js';
import { costKind, type ReadRecord, recordKind } from './record-form.js';
import { readSections } from './sections.js';
import { eventsOf, timelineOf } from './spans.js';
import { SummaryReader } from './summary-reader.js';

/** The encoded data of a segment. */
interface SegmentBytes {
  readonly keys: readonly number[];
  readonly directory: Uint8Array;
  readonly body: Uint8Array;
}

/** One record in an encoded segment. */
export interface RecordBytes extends SegmentBytes {
  readonly index: number;
}

/** Reads a record from its segment. Throws `PROFILER_RECORD_NEWER` or `PROFILER_RECORD_DAMAGED`. */
export function readRecord({ index, ...segment }: RecordBytes): StoredRecord {
  return openSegment(segment)(index);
}

/** Opens a segment for reading several records; the data that they share is decoded once. Throws like `readRecord`. */
export function openSegment({ keys, directory, body }: SegmentBytes): (index: number) => StoredRecord {
  const { rows, pack, schema, config } = guardReading(() => {
    const opened = { rows: new SummaryReader(directory), pack: new PackReader(body) };
    const head = opened.pack.open(0);
    const found = head.number();
    if (found > recordSchema)
      throw formErrors.create('PROFILER_RECORD_NEWER', { found, known: recordSchema });
    return { ...opened, schema: found, config: readValue(head) as ProfileRecord['config'] }; // written from this type
  });
  return (index) =>
    guardReading(() => {
      if (index >= rows.count) throw new RangeError(`There is no record ${index} in the segment.`);
      const from = pack.open(index + 1);
      const record = recordKind.read(from);
      const sections = readSections(from);
      const cost = costKind.read(from);
      const summary = rows.row(index, keys[index] ?? -1);
      const target = String(rows.column('target')[index] ?? '');
      const origin = String(rows.column('origin')[index] ?? '');
      return { schema, ...toRecord(record, summary, { target, origin }), config, sections, cost };
    });
}

/** Returns the indexes, starting with `from`, of records that cannot be read. Throws if the segment cannot be opened. */
export function unreadableRows(segment: SegmentBytes, from: number): readonly number[] {
  const read = openSegment(segment);
  const places = Array.from({ length: segment.keys.length - from }, (_, at) => from + at);
  return places.filter((index) => {
    try {
      read(index);
      return false;
    } catch {
      return true;
    }
  });
}

type Place = { readonly target: string; readonly origin: string };

function toRecord(
  record: ReadRecord,
  summary: StoredSummary,
  place: Place,
): Omit<StoredRecord, 'schema' | 'config' | 'sections' | 'cost'> {
  const { sequence, bucket, parent, startedAt, durationMs, state } = summary;
  const { route, controller, children, runtime, spans, exception } = record;
  const request = toRequest(record, summary, place);
  const response = toResponse(record, summary);
  return {
    sequence,
    bucket,
    ...(parent === null ? {} : { parent }),
    ...(children.length === 0 ? {} : { children }),
    startedAt,
    durationMs,
    state,
    request,
    response,
    route:
      route === null
        ? null
        : {
            name: summary.route,
            path: route.path,
            parameters: route.parameters,
            trace: (route.trace ?? null) as MatchTrace | null, // written from this type
            allow: route.allow,
          },
    controller,
    events: eventsOf(spans),
    ...readLogs(record.logs, startedAt),
    exception: (exception ?? null) as ErrorReport | null, // written from this type
    timeline: timelineOf(spans),
    runtime: {
      memory: {
        rss: runtime.rss,
        heapUsed: runtime.heapUsed,
        heapTotal: runtime.heapTotal,
        external: runtime.external,
      },
      eventLoop: {
        meanDelayMs: runtime.meanDelayMs,
        maxDelayMs: runtime.maxDelayMs,
        utilization: Number(runtime.utilization),
      },
      sampledMsAgo: record.sampledMsAgo,
    },
    limits: [...record.limits, ...boundsOf(request, response, { isUntraced: route?.isUntraced === true })],
  };
}

function toRequest(
  { request }: ReadRecord,
  summary: StoredSummary,
  { target, origin }: Place,
): RecordedRequest {
  const { httpVersion, address, port, locale, rawHead } = request;
  const body = toBody(request.body);
  const headers = toPairs(request.headers);
  return {
    method: summary.method,
    url: summary.url,
    target,
    path: summary.path,
    httpVersion,
    scheme: origin.startsWith('https:') ? 'https' : 'http',
    host: findHeader(headers, 'host') ?? origin.replace(/^https?:\/\//, ''),
    clientAddress: summary.clientAddress,
    peer: { address, port },
    headers,
    cookies: readCookies(headers),
    query: readTargetQuery(target),
    body,
    parsed: readParsed(body),
    locale,
    user: summary.user,
    ...(summary.visitor === null ? {} : { visitor: summary.visitor }),
    ...(rawHead === null ? {} : { rawHead }),
  };
}

function toResponse({ response }: ReadRecord, summary: StoredSummary): RecordedResponse | null {
  if (response === null) return null;
  const { bodyBytes, body } = response;
  const headers = toPairs(response.headers);
  return {
    status: summary.status,
    headers,
    cookies: readSetCookies(headers),
    bodyBytes,
    body: toBody(body),
    completed: summary.state === 'complete',
  };
}

function toBody(body: ReadRecord['request']['body']): RecordedBody | null {
  if (body === null) return null;
  const { isUnread, encoding, ...rest } = body;
  return {
    ...rest,
    encoding: encoding === 'base64' ? 'base64' : 'text',
    ...(isUnread ? { isUnread: true } : {}),
  };
}

function toPairs(flat: readonly string[]): RecordedHeaders {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) pairs.push([flat[at] ?? '', flat[at + 1] ?? '']);
  return pairs;
}

function boundsOf(
  request: RecordedRequest,
  response: RecordedResponse | null,
  { isUntraced }: { readonly isUntraced: boolean },
): RecordedLimit[] {
  const limits: RecordedLimit[] = isUntraced ? [{ what: 'routing trace', kept: 0, total: 1, limit: 0 }] : [];
  for (const [what, body] of [
    ['request body', request.body],
    ['response body', response?.body ?? null],
  ] as const) {
    if (body?.cut !== true) continue;
    const kept = Buffer.byteLength(body.content, body.encoding === 'text' ? 'utf8' : 'base64');
    limits.push({ what, kept, total: body.bytes, limit: kept });
  }
  return limits;
}
