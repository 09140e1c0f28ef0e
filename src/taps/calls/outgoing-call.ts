import { channel } from 'node:diagnostics_channel';
import { nextSpan, renderTraceparent, requestRecording, traceOf } from '#profiler';
import { type Moment, takeMoment } from '../source/moment.js';
import { createTrustPolicy, findField } from '#http';

const calls = channel('lookback:http:call');
/** Maximum bytes kept of a body. */
const maxBodyBytes = 16_384;
const textTypePattern =
  /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml)|application\/(?:x-www-form-urlencoded|graphql|javascript))/i;

/** The recorded part of a body, and its total size. */
export interface SeenContent {
  bytes: number;
  readonly chunks: Uint8Array[];
}

/**
 * One outgoing request. It is published on `lookback:http:call` when it begins, and completed while it proceeds. Times
 * are of `performance.now`; 0 if the event has not happened.
 */
export class OutgoingCall {
  readonly method: string;
  readonly url: string;
  readonly startedAt: number;
  readonly callSite: readonly unknown[];
  /** The span id in `traceparent`; empty if none was sent. */
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

  /** Returns the `traceparent` field that continues the trace; undefined if the target must not receive it. */
  traceparent(): string | undefined {
    if (!mayCarryTrace(this.url)) return undefined;
    const recording = this.#moment.scope.get(requestRecording);
    if (recording === undefined) return undefined;
    const sent = nextSpan(traceOf(recording.request));
    this.spanId = sent.spanId;
    return renderTraceparent(sent);
  }

  sent(headers: readonly string[]): void {
    this.sentAt = performance.now();
    this.requestHeaders = headers;
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

/**
 * Whether an outgoing request may carry `traceparent`: to this machine, private networks and host names without a dot
 * (neighbouring services), and to the origins in `LOOKBACK_TRACE`. Requests to third parties are not changed.
 */
export function mayCarryTrace(url: string): boolean {
  if (setting === 'off') return false;
  if (setting === 'all') return true;
  const { hostname, origin } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (origins.has(origin)) return true;
  return (
    !/[.:]/.test(host) ||
    /\.(?:localhost|local|internal|test)$/.test(host) ||
    nearbyNetworks.isTrustedProxy(host)
  );
}
