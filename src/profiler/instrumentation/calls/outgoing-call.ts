import { channel } from 'node:diagnostics_channel';
import {
  adoptTrace,
  forwardedMark,
  isClientHidden,
  isNearbyAddress,
  nextSpan,
  parseTraceparent,
  renderTraceparent,
  requestRecording,
  traceOf,
} from '#profiler';
import { type Moment, takeMoment } from '../source/moment.js';
import { fieldOf, textField } from '../source/fields.js';
import { findField } from '#core/http';
import { createScopeKey, type ScopeKey } from '#core/scope';

const calls = channel('lookback:http:call');
const maxBodyBytes = 16_384;
const textTypePattern =
  /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml)|application\/(?:x-www-form-urlencoded|graphql|javascript))/i;

/** Used for a response that breaks off without its own error. */
export const closedEarly = 'The connection was closed before the response was complete';

/** The recorded part of a body, and its total size. */
export interface SeenContent {
  bytes: number;
  readonly chunks: Uint8Array[];
}

/**
 * One outgoing request, published when it begins and completed as it proceeds. Times are on the `performance.now`
 * clock; 0 means not yet.
 */
export class OutgoingCall {
  readonly method: string;
  url: string;
  readonly startedAt: number;
  readonly callSite: readonly unknown[];
  /** The span id in `traceparent`, whoever set it; empty if none was sent. */
  spanId = '';
  requestHeaders: readonly string[] = [];
  responseHeaders: readonly string[] = [];
  status = 0;
  sentAt = 0;
  answeredAt = 0;
  request: SeenContent | undefined;
  response: SeenContent | undefined;
  readonly #moment: Moment;
  #endedAt = 0;
  #error: unknown;
  #isCancelled = false;

  constructor(moment: Moment, { method, url }: { readonly method: string; readonly url: string }) {
    this.#moment = moment;
    this.method = method;
    this.url = url;
    this.startedAt = moment.startedAt;
    const callSite = moment.callSite();
    this.callSite = callSite.length > 0 ? callSite : (redirectsOf(moment)?.get(url) ?? []);
  }

  get endedAt(): number {
    this.#applySignal();
    return this.#endedAt;
  }

  get error(): unknown {
    this.#applySignal();
    return this.#error;
  }

  /** True if the application cancelled the call, other than by a timeout; it is then neither failed nor unawaited. */
  get isCancelled(): boolean {
    this.#applySignal();
    return this.#isCancelled;
  }

  /**
   * Adds headers for lookback in the called service: `traceparent`, which continues the trace, unless the target must
   * not receive it or the application has set one; and a mark if the client may not see records.
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

  /** The headers are final. If another agent set `traceparent`, the call and its request belong to that trace. */
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
    const location = status >= 300 && status < 400 ? findField(headers, 'location') : undefined;
    if (location !== undefined && URL.canParse(location, this.url))
      noteRedirect(this.#moment, new URL(location, this.url), this.callSite);
  }

  sentChunk(chunk: unknown): void {
    this.request = seen(this.request, chunk, this.requestHeaders);
  }

  receivedChunk(chunk: unknown): void {
    this.response = seen(this.response, chunk, this.responseHeaders);
  }

  /**
   * Ends the call; only the first call counts. An error with which the application cancelled the call is not a failure.
   */
  ended(error?: unknown): void {
    if (this.#endedAt !== 0) return;
    this.#endedAt = performance.now();
    const limit = timeLimitIn(error);
    if (limit === undefined && isAbort(error)) this.#isCancelled = true;
    else this.#error = limit ?? error;
  }

  /** Records that the application cancelled the call. A timeout is a failure, because the response came too late. */
  cancelled(reason?: unknown): void {
    if (this.#endedAt !== 0) return;
    this.#endedAt = performance.now();
    const failure = timeLimitIn(reason) ?? (isCodingError(reason) ? reason : undefined);
    if (failure === undefined) this.#isCancelled = true;
    else this.#error = failure;
  }

  /** Clients only read the signal once a connection is open. */
  #applySignal(): void {
    if (this.#endedAt !== 0) return;
    const signal = this.#moment.scope.get(callSignal);
    if (signal?.aborted === true) this.cancelled(signal.reason);
  }
}

/** The signal with which the application can cancel the calls it makes now. */
export const callSignal: ScopeKey<AbortSignal> = createScopeKey<AbortSignal>('signal of a call');

function isAbort(error: unknown): boolean {
  return fieldOf(error, 'name') === 'AbortError' || fieldOf(error, 'code') === 'ABORT_ERR';
}

/** Returns the error or its cause, if it is a timeout by the names that clients use. */
function timeLimitIn(error: unknown): unknown {
  return [fieldOf(error, 'cause'), error].find(
    (one) =>
      textField(one, 'name') === 'TimeoutError' ||
      /TIMED?_?OUT|^ECONNABORTED$/.test(textField(one, 'code')) ||
      /\btime(?:d )?-?out\b/i.test(textField(one, 'message')),
  );
}

/** Returns whether a body could not be decoded; clients then drop the rest of it. */
function isCodingError(error: unknown): boolean {
  return /^(?:Z_|ERR__?(?:BROTLI|ZSTD))/.test(textField(error, 'code'));
}

type CallSites = OutgoingCall['callSite'];

/** A request's redirect targets, with the redirected calls' call sites. */
const redirects: ScopeKey<Map<string, CallSites>> = createScopeKey('redirects');
const maxRedirects = 20;

function redirectsOf({ scope }: Moment): ReadonlyMap<string, CallSites> | undefined {
  return scope.get(requestRecording)?.request.scope.getOwn(redirects);
}

function noteRedirect({ scope }: Moment, target: URL, callSite: CallSites): void {
  const owner = scope.get(requestRecording)?.request.scope;
  if (owner === undefined) return;
  target.hash = '';
  let known = owner.getOwn(redirects);
  if (known === undefined) owner.set(redirects, (known = new Map()));
  if (known.size < maxRedirects) known.set(target.href, callSite);
}

/** Begins a call in the current request; undefined if there is nothing to record. */
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

/** `LOOKBACK_TRACE`: `off`, `all`, or origins in addition to the local network: `https://api.example.com, …`. */
const setting = (process.env['LOOKBACK_TRACE'] ?? '').trim();
const origins = new Set(setting.split(/[\s,]+/).filter((text) => text !== ''));

/**
 * Returns whether a request may carry `traceparent`: to this machine, private networks, neighbours, and origins in
 * `LOOKBACK_TRACE`.
 */
export function mayCarryTrace(url: string): boolean {
  if (setting === 'off') return false;
  if (setting === 'all') return true;
  return origins.has(new URL(url).origin) || isNearby(url);
}

/** Returns whether a URL leads to this machine, a private network, or a neighbouring service. */
function isNearby(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return !/[.:]/.test(host) || /\.(?:localhost|local|internal|test)$/.test(host) || isNearbyAddress(host);
}
