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
}

/**
 * The trace and the span of a record: those that were continued or begun when it was recorded, else made of its token, so that
 * the same record always has the same.
 */
export function contextOf(record: ProfileRecord, { pages }: { readonly pages?: string }): RecordContext {
  const { trace } = (record.sections['trace'] ?? { trace: null }) as TraceSection; // what the trace collector keeps
  const { parent, token, request } = record;
  const traceId = trace?.traceId ?? hexIdOf(32, [originOf(record), parent ?? token]);
  const context = (spanId: string): OtlpContext => ({ traceId, spanId, traceFlags: 1 });
  const inner = parent === undefined ? undefined : spanIdOf(record, parent);
  const spanId = trace === null || inner !== undefined ? spanIdOf(record, token) : trace.spanId;
  const above = inner === undefined ? trace?.parentId : inner;
  const base = pages ?? `${request.scheme}://${request.host}/_profiler`;
  return {
    own: context(spanId),
    parent:
      above === null || above === undefined
        ? undefined
        : { ...context(above), isRemote: inner === undefined },
    link: { 'lookback.record': token, 'lookback.record.url': `${base}/${token}` },
  };
}

/** An id of hexadecimal digits that belongs to these words. */
export function hexIdOf(digits: 16 | 32, words: readonly string[]): string {
  return createHash('sha256').update(words.join('\n')).digest('hex').slice(0, digits);
}

/** The name of a process's records: tokens of two processes may be the same. */
function originOf({ config }: ProfileRecord): string {
  return String(config['instance'] ?? '');
}

function spanIdOf(record: ProfileRecord, token: string): string {
  return hexIdOf(16, [originOf(record), token]);
}

const sources = new Map<string, OtlpSource>(); // by the process that made a record; bounded
const maxSources = 100;

/** The process that made the record, with the words of the semantic conventions. */
export function sourceOf({ config }: ProfileRecord, resource: Attributes): OtlpSource {
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
