import { type ProfileRecord, recordSchema } from '../model/profile-record.js';
import { recorderLimits } from '../watch/recorder-limits.js';
import { foreignRecordDefaults } from './foreign-record-defaults.js';
import { countOf, mapOf, type OtlpFile, type AttributeValues, textOf, toMs } from './otlp-file.js';
import {
  controllerOf,
  exceptionOf,
  levelOf,
  requestMethodOf,
  type ReadSpan,
  requestOf,
  toLine,
  toChildSpan,
} from './otlp-parts.js';

/** Maximum number of child spans of one request. */
const maxSpans = 2000;

/**
 * Converts each HTTP server span to a record, without secrets. Its descendants become the timeline, and the log lines of
 * these spans become the logs. Spans that belong to no HTTP request are skipped and counted in `leftOut`.
 */
export function readOtlp(files: readonly OtlpFile[]): {
  readonly records: readonly ProfileRecord[];
  readonly leftOut: number;
} {
  const spans = readSpans(files);
  const requests: ReadSpan[] = [];
  let leftOut = 0;
  for (const one of spans.values()) {
    const request = requestOfSpan(one, spans);
    if (request === one) requests.push(one);
    else if (request === undefined) leftOut++;
    else request.inside.push(one);
  }
  for (const { scopeLogs } of files.flatMap(({ resourceLogs = [] }) => resourceLogs))
    for (const line of scopeLogs.flatMap(({ logRecords = [] }) => logRecords)) {
      const within = spans.get(`${line.traceId ?? ''} ${line.spanId ?? ''}`);
      if (within !== undefined) requestOfSpan(within, spans)?.lines.push(line);
    }
  requests.sort((a, b) => a.startedAt - b.startedAt);
  return { records: requests.map(toRecord), leftOut };
}

function readSpans(files: readonly OtlpFile[]): ReadonlyMap<string, ReadSpan> {
  const spans = new Map<string, ReadSpan>();
  for (const { resource, scopeSpans } of files.flatMap(({ resourceSpans = [] }) => resourceSpans)) {
    const ofResource = mapOf(resource?.attributes);
    for (const span of scopeSpans.flatMap((scope) => scope.spans ?? []))
      spans.set(`${span.traceId} ${span.spanId}`, {
        span,
        attributes: mapOf(span.attributes),
        resource: ofResource,
        startedAt: toMs(span.startTimeUnixNano),
        endedAt: toMs(span.endTimeUnixNano),
        inside: [],
        lines: [],
      });
  }
  return spans;
}

/** Returns the nearest HTTP server span among a span and its ancestors. */
function requestOfSpan(one: ReadSpan, spans: ReadonlyMap<string, ReadSpan>): ReadSpan | undefined {
  let at: ReadSpan | undefined = one;
  for (const seen = new Set<ReadSpan>(); at !== undefined && !seen.has(at);) {
    const { kind, traceId, parentSpanId = '' } = at.span;
    if ((kind === 2 || kind === 'SPAN_KIND_SERVER') && requestMethodOf(at.attributes) !== '') return at;
    seen.add(at);
    at = spans.get(`${traceId} ${parentSpanId}`);
  }
  return undefined;
}

function toRecord(read: ReadSpan, place: number): ProfileRecord {
  const { span, attributes, resource, startedAt, endedAt, inside, lines } = read;
  const status = countOf(attributes, 'http.response.status_code', 'http.status_code');
  const route = textOf(attributes, 'http.route');
  const own = textOf(attributes, 'lookback.record');
  const state = textOf(attributes, 'lookback.state');
  const kept = lines.slice(0, recorderLimits.logs);
  const byLevel: Record<string, number> = {};
  for (const line of lines) byLevel[levelOf(line)] = (byLevel[levelOf(line)] ?? 0) + 1;
  const sorted = inside.toSorted((a, b) => a.startedAt - b.startedAt || b.endedAt - a.endedAt);
  return {
    ...foreignRecordDefaults,
    schema: recordSchema,
    token: /^[0-9a-f]{6,32}$/.test(own) ? own : span.spanId.slice(4),
    sequence: place,
    startedAt,
    durationMs: Math.max(0, endedAt - startedAt),
    state: state === 'aborted' || state === 'unfinished' ? state : status === 0 ? 'aborted' : 'complete',
    request: requestOf(attributes),
    response:
      status === 0
        ? null
        : {
            status,
            headers: [],
            cookies: [],
            bodyBytes: countOf(attributes, 'http.response.body.size'),
            body: null,
            completed: true,
          },
    route: route === '' ? null : { name: route, path: route, parameters: [], trace: null, allow: [] },
    controller: controllerOf(attributes),
    logs: kept.map((line) => toLine(line, startedAt)),
    logTotals: {
      total: lines.length,
      byLevel,
      omitted: lines.length - kept.length,
      omittedAfter: kept.length,
    },
    exception: exceptionOf(span, status),
    timeline: sorted.slice(0, maxSpans).map((one) => toChildSpan(one, startedAt)),
    config: configOf(resource),
    sections: {
      trace: {
        trace: { traceId: span.traceId, spanId: span.spanId, parentId: span.parentSpanId || null },
        received: null,
      },
    },
    limits: [
      ...cutOf('logs', { total: lines.length, limit: recorderLimits.logs }),
      ...cutOf('timeline', { total: inside.length, limit: maxSpans }),
    ],
  };
}

function cutOf(
  what: string,
  { total, limit }: { readonly total: number; readonly limit: number },
): ProfileRecord['limits'] {
  return total > limit ? [{ what, kept: limit, total, limit }] : [];
}

function configOf(resource: AttributeValues): ProfileRecord['config'] {
  const host = textOf(resource, 'host.name');
  const pid = textOf(resource, 'process.pid');
  const config = {
    source: 'OpenTelemetry',
    service: textOf(resource, 'service.name'),
    instance: textOf(resource, 'service.instance.id') || (host === '' ? '' : `${host}:${pid}`),
    version: textOf(resource, 'service.version'),
    env: textOf(resource, 'deployment.environment.name', 'deployment.environment'),
  };
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== ''));
}
