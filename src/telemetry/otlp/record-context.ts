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

/** Where the spans and the log of a record belong. */
export interface RecordContext {
  readonly own: OtlpContext;
  readonly parent: (OtlpContext & { readonly isRemote: boolean }) | undefined;
  /** The record, and where its page is: on each span and each line. */
  readonly link: Attributes;
  /** The id of the span of a stretch of its timeline, by its place. */
  readonly stretchId: (place: number) => string;
}

/**
 * The trace and the span of a record: those that were continued or begun when it was recorded, else made of its token, so that
 * the same record always has the same.
 */
export function contextOf(record: ProfileRecord, { pages }: { readonly pages?: string }): RecordContext {
  const { trace } = (record.sections['trace'] ?? { trace: null }) as TraceSection; // what the trace collector keeps
  const { parent, token, request } = record;
  const digest = digestOf(record, token);
  const above = parent === undefined ? undefined : digestOf(record, parent);
  const traceId = trace?.traceId ?? (above ?? digest).slice(0, 32);
  const context = (spanId: string): OtlpContext => ({ traceId, spanId, traceFlags: 1 });
  const inner = above?.slice(32, 48);
  const spanId = trace === null || inner !== undefined ? digest.slice(32, 48) : trace.spanId;
  const parentId = inner === undefined ? trace?.parentId : inner;
  const base = pages ?? `${request.scheme}://${request.host}/_profiler`;
  return {
    own: context(spanId),
    parent:
      parentId === null || parentId === undefined
        ? undefined
        : { ...context(parentId), isRemote: inner === undefined },
    stretchId: createStretchIds(digest),
    link: { 'lookback.record': token, 'lookback.record.url': `${base}/${token}` },
  };
}

/** 64 hexadecimal digits that belong to a record: tokens of two processes may be the same. */
function digestOf({ config }: ProfileRecord, token: string): string {
  return createHash('sha256')
    .update(`${String(config['instance'] ?? '')}\n${token}`)
    .digest('hex');
}

/** Ids of the spans inside a record by their places: distinct, and the same each time. */
function createStretchIds(digest: string): (place: number) => string {
  const [high, low] = [digest.slice(48, 56), Number.parseInt(digest.slice(56, 64), 16)];
  return (place) => high + ((low + place) >>> 0).toString(16).padStart(8, '0');
}

const sources = new Map<string, OtlpSource>(); // by the process that made a record; bounded
const maxSources = 100;

/** The process that made the record, with the words of the semantic conventions. */
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
