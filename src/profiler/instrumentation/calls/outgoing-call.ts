import { channel } from 'node:diagnostics_channel';
import {
  adoptTrace,
  forwardedMark,
  isClientHidden,
  nextSpan,
  parseTraceparent,
  renderTraceparent,
  requestRecording,
  traceOf,
} from '#profiler';
import { type Moment, takeMoment } from '../source/moment.js';
import { createTrustPolicy, findField } from '#core/http';

const calls = channel('lookback:http:call');
const maxBodyBytes = 16_384;
const textTypePattern =
  /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml)|application\/(?:x-www-form-urlencoded|graphql|javascript))/i;

/** The recorded part of a body, and its total size. */
export interface SeenContent {
  bytes: number;
  readonly chunks: Uint8Array[];
}

/** One outgoing request, published when it begins and completed as it proceeds. Times of `performance.now`; 0: not yet. */
export class OutgoingCall {
  readonly method: string;
  readonly url: string;
  readonly startedAt: number;
  readonly callSite: readonly unknown[];
  /** The span id in `traceparent`, whoever set it; empty if none was sent. */
  spanId = '';
  requestHeaders: readonly string[] = [];
  responseHeaders: readonly string[] = [];
  status = 0;
  sentAt = 0;
  answeredAt = 0;
  endedAt = 0;
  error: unknown;
  request: SeenContent | undefined;
  response: SeenContent | undefined;
  readonly #moment: Moment;

  constructor(moment: Moment, { method, url }: { readonly method: string; readonly url: string }) {
    this.#moment = moment;
    this.method = method;
    this.url = url;
    this.startedAt = moment.startedAt;
    this.callSite = moment.callSite();
  }

  /**
   * Adds fields for lookback in the called service: `traceparent`, which continues the trace, unless the target must not
   * receive it or the application has set one; and the mark of a request of a client that may not see records.
   */
  addFields(has: (name: string) => boolean, add: (name: string, value: string) => void): void {
    const recording = this.#moment.scope.get(requestRecording);
    if (recording === undefined) return;
    if (!has('traceparent') && mayCarryTrace(this.url)) {
      const sent = nextSpan(traceOf(recording.request));
      this.spanId = sent.spanId;
      add('traceparent', renderTraceparent(sent));
    }
    if (this.#moment.scope.get(isClientHidden) === true && isNearby(this.url)) add(forwardedMark, '1');
  }

  /** Its fields are final: where another agent set `traceparent`, the call and its request are of that trace. */
  sent(headers: readonly string[]): void {
    this.sentAt = performance.now();
    this.requestHeaders = headers;
    const span = parseTraceparent(findField(headers, 'traceparent') ?? '');
    const recording = this.#moment.scope.get(requestRecording);
    if (span === undefined || span.spanId === this.spanId || recording === undefined) return;
    this.spanId = span.spanId;
    adoptTrace(recording.request, span.traceId);
  }

  answered(status: number, headers: readonly string[]): void {
    this.answeredAt = performance.now();
    this.status = status;
    this.responseHeaders = headers;
  }

  sentChunk(chunk: unknown): void {
    this.request = seen(this.request, chunk, this.requestHeaders);
  }

  receivedChunk(chunk: unknown): void {
    this.response = seen(this.response, chunk, this.responseHeaders);
  }

  ended(error?: unknown): void {
    if (this.endedAt !== 0) return;
    this.endedAt = performance.now();
    this.error = error;
  }
}

/** Begins a call in the current request; returns undefined if there is nothing to record. */
export function beginCall(
  target: () => { readonly method: string; readonly url: string },
): OutgoingCall | undefined {
  const moment = calls.hasSubscribers ? takeMoment() : undefined;
  if (moment === undefined) return undefined;
  const call = new OutgoingCall(moment, target());
  calls.publish(call);
  return call;
}

/** Adds a chunk: counts all bytes, and keeps the beginning of text bodies. */
function seen(
  content: SeenContent | undefined,
  chunk: unknown,
  headers: readonly string[],
): SeenContent | undefined {
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  if (!(bytes instanceof Uint8Array)) return content;
  const all = content ?? { bytes: 0, chunks: [] };
  const room = maxBodyBytes - all.bytes;
  if (
    room > 0 &&
    textTypePattern.test(findField(headers, 'content-type') ?? '') &&
    (findField(headers, 'content-encoding') ?? '') === ''
  )
    all.chunks.push(Uint8Array.from(bytes.subarray(0, room)));
  all.bytes += bytes.byteLength;
  return all;
}

/** `LOOKBACK_TRACE`: `off`, `all`, or origins in addition to those of the own network: `https://api.example.com, …`. */
const setting = (process.env['LOOKBACK_TRACE'] ?? '').trim();
const nearbyNetworks = createTrustPolicy({ trustedProxies: ['private', 'linklocal'] });
const origins = new Set(setting.split(/[\s,]+/).filter((text) => text !== ''));

/** Whether a request may carry `traceparent`: to this machine, private networks, neighbours, and those in `LOOKBACK_TRACE`. */
export function mayCarryTrace(url: string): boolean {
  if (setting === 'off') return false;
  if (setting === 'all') return true;
  return origins.has(new URL(url).origin) || isNearby(url);
}

/** Whether a URL is one of this machine, of a private network, or of a neighbouring service. */
function isNearby(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return (
    !/[.:]/.test(host) ||
    /\.(?:localhost|local|internal|test)$/.test(host) ||
    nearbyNetworks.isTrustedProxy(host)
  );
}
