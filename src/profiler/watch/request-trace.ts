import { randomBytes } from 'node:crypto';
import { createTrustPolicy, findField, type HttpRequest } from '#http';
import { createScopeKey, type ScopeKey } from '#scope';

/** One span of a trace: lowercase hexadecimal, 32 and 16 characters. */
export interface TraceSpan {
  readonly traceId: string;
  readonly spanId: string;
}

/** The trace that a request belongs to (W3C Trace Context). */
export interface RequestTrace extends TraceSpan {
  /** The span that asked; null where this request began the trace. */
  readonly parentId: string | null;
}

/** What `traceparent` said to a request, and what came of it. */
interface FoundTrace {
  readonly received: TraceSpan | undefined;
  trace: RequestTrace | undefined;
}

const foundTrace: ScopeKey<FoundTrace> = createScopeKey<FoundTrace>('trace');
const nearbyNetworks = createTrustPolicy({ trustedProxies: ['private', 'linklocal'] });

/** Renders `traceparent`, version 00, sampled. */
export function renderTraceparent({ traceId, spanId }: TraceSpan): string {
  return `00-${traceId}-${spanId}-01`;
}

/** Reads `traceparent` of any version; undefined if it is malformed. */
export function parseTraceparent(text: string): TraceSpan | undefined {
  const [, version, traceId = '', spanId = '', rest = ''] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.{0,300})?$/.exec(text.trim()) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== '')) return undefined;
  return /^0+$/.test(traceId) || /^0+$/.test(spanId) ? undefined : { traceId, spanId };
}

/** A further span of a trace, for the next outgoing request. */
export function nextSpan({ traceId }: Pick<TraceSpan, 'traceId'>): TraceSpan {
  return { traceId, spanId: randomBytes(8).toString('hex') };
}

/**
 * The trace of a request: continued if this machine or a private network sent it, otherwise a new one, which begins on
 * first use. A trace from anyone else is kept in the record as received, and not forwarded.
 */
export function traceOf(request: HttpRequest): RequestTrace {
  const found = find(request);
  return (found.trace ??= { ...nextSpan({ traceId: randomBytes(16).toString('hex') }), parentId: null });
}

/** The same if it was created already; else undefined. */
export function findTrace(request: HttpRequest): RequestTrace | undefined {
  return find(request).trace;
}

/** The id of the trace that a request named, whoever it came from. */
export function receivedTrace(request: HttpRequest): string | undefined {
  return find(request).received?.traceId;
}

function find({ scope, source }: HttpRequest): FoundTrace {
  const present = scope.get(foundTrace);
  if (present !== undefined) return present;
  const field = findField(source.rawHeaders, 'traceparent');
  const received = field === undefined ? undefined : parseTraceparent(field);
  const isNear = received !== undefined && nearbyNetworks.isTrustedProxy(source.peer.address ?? '');
  const found: FoundTrace = { received, trace: isNear ? continued(received) : undefined };
  scope.set(foundTrace, found);
  return found;
}

function continued({ traceId, spanId: parentId }: TraceSpan): RequestTrace {
  return { ...nextSpan({ traceId }), parentId };
}
