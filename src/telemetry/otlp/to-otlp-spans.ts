import type { ProfileRecord } from '#profiler';
import { type Attributes, hrTime, type OtlpSpan, type OtlpSource } from './otlp-items.js';
import { contextOf, sourceOf, type RecordContext } from './record-context.js';
import { describeSpan } from './describe-span.js';

/** How records are sent to OpenTelemetry. */
export interface OtlpOptions {
  /** Address of the profiler's pages, for the link of each span; default `/_profiler` on the requested host. */
  readonly pages?: string;
  /** Attributes of the process: `service.name`; default `OTEL_SERVICE_NAME` or the name of the package. */
  readonly resource?: Attributes;
  /** Stages and listeners of the framework as spans too, some twenty for each request. Default no. */
  readonly framework?: boolean;
}

const ofFramework = new Set(['stage', 'listener']);

const [internal, server, client] = [0, 1, 2];
const failed = { code: 2 };
const unset = { code: 0 };

/**
 * A record as spans, in the words of the semantic conventions for HTTP, databases and exceptions: that of the request first,
 * then one for each stretch of its timeline, below the one around it.
 */
export function toOtlpSpans(record: ProfileRecord, options: OtlpOptions = {}): readonly OtlpSpan[] {
  const source = sourceOf(record, options.resource);
  const context = contextOf(record, options);
  const root = requestSpan(record, { source, context });
  const spans: OtlpSpan[] = [root];
  const around: { readonly span: OtlpSpan; readonly endMs: number }[] = [];
  const shown = record.timeline.filter(
    ({ category }) => options.framework === true || !ofFramework.has(category),
  );
  const sorted = shown.toSorted((a, b) => a.startMs - b.startMs || b.durationMs - a.durationMs);
  for (const [place, stretch] of sorted.entries()) {
    const { startMs, durationMs } = stretch;
    const endMs = startMs + durationMs;
    while (around.length > 0 && (around.at(-1)?.endMs ?? 0) <= startMs) around.pop();
    const parent = around.findLast((one) => one.endMs >= endMs)?.span ?? root;
    const { isCall, spanId, name, attributes, error } = describeSpan(record, stretch);
    const own = {
      ...context.own,
      spanId: spanId ?? context.stretchId(place),
    };
    const startTime = hrTime(record.startedAt + startMs);
    const span: OtlpSpan = {
      ...source,
      ...nothingMore,
      name,
      kind: isCall ? client : internal,
      spanContext: () => own,
      parentSpanContext: parent.spanContext(),
      startTime,
      endTime: hrTime(record.startedAt + endMs),
      duration: hrTime(durationMs),
      status: error === null ? unset : { ...failed, message: error },
      attributes: { ...context.link, ...attributes },
      events: [],
    };
    spans.push(span);
    around.push({ span, endMs });
  }
  return spans;
}

const nothingMore = {
  links: [],
  ended: true,
  droppedAttributesCount: 0,
  droppedEventsCount: 0,
  droppedLinksCount: 0,
} as const;

function requestSpan(
  record: ProfileRecord,
  { source, context }: { readonly source: OtlpSource; readonly context: RecordContext },
): OtlpSpan {
  const { request, response, route, startedAt, durationMs, exception } = record;
  const thrown = exception?.errors.at(-1);
  const hasFailed = (response?.status ?? 0) >= 500 || (thrown !== undefined && (response?.status ?? 0) < 400);
  const endTime = hrTime(startedAt + durationMs);
  return {
    ...source,
    ...nothingMore,
    name: [request.method, route?.path ?? ''].join(' ').trimEnd(),
    kind: server,
    spanContext: () => context.own,
    ...(context.parent === undefined ? {} : { parentSpanContext: context.parent }),
    startTime: hrTime(startedAt),
    endTime,
    duration: hrTime(durationMs),
    status: hasFailed ? { ...failed, ...(thrown === undefined ? {} : { message: thrown.message }) } : unset,
    attributes: { ...context.link, ...requestAttributes(record, hasFailed ? thrown?.class : undefined) },
    events: (exception?.errors ?? []).toReversed().map((error) => ({
      time: endTime,
      name: 'exception',
      attributes: {
        'exception.type': error.class,
        'exception.message': error.message,
        'exception.stacktrace': error.frames
          .map(
            ({ function: name, file, line, column }) =>
              `    at ${name === '' ? '<anonymous>' : name} (${file}:${line}:${column})`,
          )
          .join('\n'),
      },
    })),
  };
}

function requestAttributes(record: ProfileRecord, errorClass: string | undefined): Attributes {
  const { request, response, route, controller, state } = record;
  const [host = '', port] = request.host.split(/:(?=\d+$)/);
  const question = request.target.indexOf('?');
  const agent = request.headers.find(([name]) => name.toLowerCase() === 'user-agent')?.[1];
  const status = response?.status ?? 0;
  const given: Record<string, string | number | boolean | null | undefined> = {
    'http.request.method': request.method,
    'url.scheme': request.scheme,
    'url.path': request.path,
    'url.query': question === -1 ? undefined : request.target.slice(question + 1),
    'server.address': host,
    'server.port': port === undefined ? undefined : Number(port),
    'client.address': request.clientAddress,
    'network.peer.address': request.peer.address,
    'network.peer.port': request.peer.port,
    'network.protocol.name': 'http',
    'network.protocol.version': request.httpVersion,
    'user_agent.original': agent,
    'http.route': route?.path,
    'http.request.body.size': request.body?.bytes,
    'http.response.status_code': status === 0 ? undefined : status,
    'http.response.body.size': response?.bodyBytes,
    'user.id': request.user,
    'code.function.name': controller?.name,
    'code.file.path': controller?.file,
    'code.line.number': controller?.line,
    'error.type': errorClass ?? (status >= 500 ? String(status) : undefined),
    'lookback.state': state,
  };
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && value !== null && value !== '') attributes[name] = value;
  return attributes;
}
