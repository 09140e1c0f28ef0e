import { type OptionNames, optionNames } from '#coded-error';
import type { ProfileRecord } from '#profiler';
import { type Attributes, hrTime, type OtlpSpan, type OtlpSource } from './otlp-items.js';
import { contextOf, sourceOf, type RecordContext } from './record-context.js';
import { describeSpan } from './describe-span.js';

/** Options for sending records to OpenTelemetry. */
export interface OtlpOptions {
  /** Address of the profiler's pages, for the link in each span; default `/_profiler` on the requested host. */
  readonly pages?: string;
  /** Attributes of the process, such as `service.name`. Default: `OTEL_SERVICE_NAME` or the name of the package. */
  readonly resource?: Attributes;
  /** Whether stages and listeners of the framework become spans too, about twenty for each request. Default false. */
  readonly framework?: boolean;
}

export const otlpOptionNames: OptionNames<OtlpOptions> = optionNames('pages resource framework');

const frameworkCategories = new Set(['stage', 'listener']);

const [internal, server, client] = [0, 1, 2];
const failed = { code: 2 };
const unset = { code: 0 };

/**
 * Converts a record to spans, by the semantic conventions for HTTP, databases and exceptions: first that of the
 * request, then one for each entry of its timeline, as a child of the entry that encloses it.
 */
export function toOtlpSpans(record: ProfileRecord, options: OtlpOptions = {}): readonly OtlpSpan[] {
  const source = sourceOf(record, options.resource);
  const context = contextOf(record, options);
  const root = requestSpan(record, { source, context });
  const spans: OtlpSpan[] = [root];
  const enclosing: { readonly span: OtlpSpan; readonly endMs: number }[] = [];
  const shown = record.timeline.filter(
    ({ category }) => options.framework === true || !frameworkCategories.has(category),
  );
  const sorted = shown.toSorted((a, b) => a.startMs - b.startMs || b.durationMs - a.durationMs);
  for (const [index, entry] of sorted.entries()) {
    const { startMs, durationMs } = entry;
    const endMs = startMs + durationMs;
    while (enclosing.length > 0 && (enclosing.at(-1)?.endMs ?? 0) <= startMs) enclosing.pop();
    const parent = enclosing.findLast((one) => one.endMs >= endMs)?.span ?? root;
    const { isCall, spanId, name, attributes, error } = describeSpan(record, entry);
    const own = {
      ...context.own,
      spanId: spanId ?? context.childSpanId(index),
    };
    const startTime = hrTime(record.startedAt + startMs);
    const span: OtlpSpan = {
      ...source,
      ...emptyFields,
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
    enclosing.push({ span, endMs });
  }
  return spans;
}

const emptyFields = {
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
    ...emptyFields,
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
  const queryStart = request.target.indexOf('?');
  const agent = request.headers.find(([name]) => name.toLowerCase() === 'user-agent')?.[1];
  const status = response?.status ?? 0;
  const values: Record<string, string | number | boolean | null | undefined> = {
    'http.request.method': request.method,
    'url.scheme': request.scheme,
    'url.path': request.path,
    'url.query': queryStart === -1 ? undefined : request.target.slice(queryStart + 1),
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
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== null && value !== '') attributes[name] = value;
  return attributes;
}
