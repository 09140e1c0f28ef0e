import { createHash } from 'node:crypto';
import type { ProfileRecord } from '#profiler';
import type { Attributes, OtlpContext, OtlpSource } from './otlp-items.js';

/** The part of the section `trace` that is read. */
interface TraceSection {
  readonly trace: {
    readonly traceId: string;
    readonly spanId: string;
    readonly parentId: string | null;
  } | null;
}

/** The place of a record's spans and log lines in a trace. */
export interface RecordContext {
  readonly own: OtlpContext;
  readonly parent: (OtlpContext & { readonly isRemote: true }) | undefined;
  /** Attributes of each span and log line: the record's token and the URL of its page. */
  readonly link: Attributes;
  /** Returns the id of the span for an entry of the timeline, by its index. */
  readonly childSpanId: (place: number) => string;
}

/**
 * Returns the trace and the span of a record: those that were continued or started when it was recorded, otherwise ones
 * derived from its token, so that the same record always has the same ids.
 */
export function contextOf(record: ProfileRecord, { pages }: { readonly pages?: string }): RecordContext {
  const { trace } = (record.sections['trace'] ?? { trace: null }) as TraceSection; // stored by the trace collector
  const { token, request } = record;
  const digest = digestOf(record, token);
  const traceId = trace?.traceId ?? digest.slice(0, 32);
  const context = (spanId: string): OtlpContext => ({ traceId, spanId, traceFlags: 1 });
  const parentId = trace?.parentId ?? undefined;
  const base = pages ?? `${request.scheme}://${request.host}/_profiler`;
  return {
    own: context(trace?.spanId ?? digest.slice(32, 48)),
    parent: parentId === undefined ? undefined : { ...context(parentId), isRemote: true },
    childSpanId: createChildSpanIds(digest),
    link: { 'lookback.record': token, 'lookback.record.url': `${base}/${token}` },
  };
}

/**
 * Returns 64 hexadecimal digits for a record. They include its process, because tokens of two processes may be the
 * same.
 */
function digestOf({ config }: ProfileRecord, token: string): string {
  return createHash('sha256')
    .update(`${String(config['instance'] ?? '')}\n${token}`)
    .digest('hex');
}

/** Creates a function that returns ids of the spans inside a record by index: distinct and reproducible. */
function createChildSpanIds(digest: string): (place: number) => string {
  const [high, low] = [digest.slice(48, 56), Number.parseInt(digest.slice(56, 64), 16)];
  return (place) => high + ((low + place) >>> 0).toString(16).padStart(8, '0');
}

const sources = new Map<string, OtlpSource>(); // process descriptions by their attributes; bounded
const maxSources = 100;

/** Returns the process that made the record, in terms of the semantic conventions. */
export function sourceOf({ config }: ProfileRecord, resource: Attributes | undefined): OtlpSource {
  const instance = String(config['instance'] ?? '');
  const [host = '', pid = ''] = instance.split(/:(?=\d+$)/);
  const attributes: Attributes = {
    'service.name': process.env['OTEL_SERVICE_NAME'] ?? process.env['npm_package_name'] ?? 'unknown_service',
    ...(instance === '' ? {} : { 'service.instance.id': instance, 'host.name': host }),
    ...(pid === '' ? {} : { 'process.pid': Number(pid) }),
    ...(typeof config['version'] === 'string' && config['version'] !== ''
      ? { 'service.version': config['version'] }
      : {}),
    ...(typeof config['env'] === 'string' ? { 'deployment.environment.name': config['env'] } : {}),
    ...resource,
  };
  const key = JSON.stringify(attributes);
  let source = sources.get(key);
  if (source === undefined) {
    if (sources.size >= maxSources) sources.clear();
    source = {
      resource: { attributes },
      instrumentationScope: { name: 'lookback', version: '1' },
    };
    sources.set(key, source);
  }
  return source;
}
