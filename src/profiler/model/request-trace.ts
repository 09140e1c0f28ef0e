import { randomBytes } from 'node:crypto';
import { createTrustPolicy, type HttpRequest, type TrustPolicy } from '#core/http';
import { createScopeKey, type ScopeKey } from '#core/scope';

/** One span in a trace: trace id and span id, as 32 and 16 lowercase hexadecimal characters. */
export interface TraceSpan {
  readonly traceId: string;
  readonly spanId: string;
}

/** A request's trace (W3C Trace Context). */
export interface RequestTrace extends TraceSpan {
  /** The caller's span; null if this request started the trace. */
  readonly parentId: string | null;
}

/** A request's `traceparent`, and the resulting trace. */
interface FoundTrace {
  readonly received: TraceSpan | undefined;
  trace: RequestTrace | undefined;
  /** True if the trace was neither received nor adopted. */
  isStarted?: boolean;
}

const foundTrace: ScopeKey<FoundTrace> = createScopeKey<FoundTrace>('trace');
/** Created when first needed, because Node compiles a large expression to parse an IPv6 network. */
let nearbyNetworks: TrustPolicy | undefined;

/** Renders a version 00 `traceparent` with the sampled flag. */
export function renderTraceparent({ traceId, spanId }: TraceSpan): string {
  return `00-${traceId}-${spanId}-01`;
}

/** Parses a `traceparent` in any version; undefined if it is malformed. */
export function parseTraceparent(text: string): TraceSpan | undefined {
  const [, version, traceId = '', spanId = '', rest = ''] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.{0,300})?$/.exec(text.trim()) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== '')) return undefined;
  return /^0+$/.test(traceId) || /^0+$/.test(spanId) ? undefined : { traceId, spanId };
}

/** Returns a new span in a trace, for the next outgoing request. */
export function nextSpan({ traceId }: Pick<TraceSpan, 'traceId'>): TraceSpan {
  return { traceId, spanId: randomBytes(8).toString('hex') };
}

/**
 * Returns the trace of a request. A trace received from this machine or a private network is continued; otherwise a new
 * one is created on first use. A trace received from anywhere else is recorded but not forwarded.
 */
export function traceOf(request: HttpRequest): RequestTrace {
  const found = find(request);
  if (found.trace !== undefined) return found.trace;
  found.isStarted = true;
  return (found.trace = started(randomBytes(16).toString('hex')));
}

/**
 * Gives a request the trace that another agent sent with one of its calls, unless it already has one that was not
 * started here.
 */
export function adoptTrace(request: HttpRequest, traceId: string): void {
  const found = find(request);
  if (found.trace !== undefined && found.isStarted !== true) return;
  found.trace = started(traceId);
  found.isStarted = false;
}

export function findTrace(request: HttpRequest): RequestTrace | undefined {
  return find(request).trace;
}

/** Returns the request's trace id: its own, or the one it carried. */
export function traceIdOf(request: HttpRequest): string | undefined {
  const { trace, received } = find(request);
  return (trace ?? received)?.traceId;
}

export function receivedTrace(request: HttpRequest): string | undefined {
  return find(request).received?.traceId;
}

function find({ scope, source, headers }: HttpRequest): FoundTrace {
  const present = scope.get(foundTrace);
  if (present !== undefined) return present;
  const [field] = headers.has('traceparent') ? headers.getAll('traceparent') : [];
  const received = field === undefined ? undefined : parseTraceparent(field);
  const isNear = received !== undefined && isNearbyAddress(source.peer.address ?? '');
  const found: FoundTrace = { received, trace: isNear ? continued(received) : undefined };
  scope.set(foundTrace, found);
  return found;
}

/** Returns whether an address belongs to this machine, a private network, or the local link. */
export function isNearbyAddress(address: string): boolean {
  nearbyNetworks ??= createTrustPolicy({ trustedProxies: ['private', 'linklocal'] });
  return nearbyNetworks.isTrustedProxy(address);
}

function started(traceId: string): RequestTrace {
  return { ...nextSpan({ traceId }), parentId: null };
}

function continued({ traceId, spanId: parentId }: TraceSpan): RequestTrace {
  return { ...nextSpan({ traceId }), parentId };
}
