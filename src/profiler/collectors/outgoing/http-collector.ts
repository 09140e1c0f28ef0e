import type { Redactor } from '#dump';
import { findField } from '#http';
import type { TimelineEntry } from '../../model/profile-record.js';
import { takeBody } from '../../redact/take-body.js';
import type { ChannelMessage, ListeningCollector } from '../create-channel-collector.js';
import { type CompletedPart, definePart } from '../define-part.js';
import { type CallFacts, MessageReader, positiveNumber, messageText } from '../message-reader.js';
import { createCallCollector } from './create-call-collector.js';

/** The `http` section of a record: the outgoing requests. */
export interface HttpSection {
  readonly calls: readonly HttpCall[];
  readonly totals: { readonly calls: number; readonly failed: number; readonly durationMs: number };
}

interface CallBody {
  readonly text: string | null;
  readonly bytes: number;
  readonly isCut: boolean;
}

export interface HttpCall extends CallFacts {
  readonly method: string;
  readonly url: string;
  /** 0 if no response was received. */
  readonly status: number;
  readonly isOpen: boolean;
  /** Time until the head was sent (including DNS and connecting), until the response began, and until it ended. */
  readonly phases: { readonly sendMs: number; readonly waitMs: number; readonly receiveMs: number };
  /** Names and values, alternating. */
  readonly requestHeaders: readonly string[];
  readonly responseHeaders: readonly string[];
  readonly requestBody: CallBody | null;
  readonly responseBody: CallBody | null;
  /** Token and URL of the record that the called service made of the request. */
  readonly record: string | null;
  readonly recordLink: string | null;
  /** Span id that was sent with the request; empty if there was none. */
  readonly spanId: string;
}

/** Limits: calls per request, characters of all their bodies, names and values of headers, and characters of a URL. */
const limits = { calls: 100, bodies: 128_000, headers: 100, url: 2000 } as const;

export const httpPart: CompletedPart = definePart<HttpSection>({
  summary: {
    calls: { kind: 'count', of: ({ totals }) => totals.calls },
    durationMs: { kind: 'ms', of: ({ totals }) => totals.durationMs },
  },
  timeline: ({ calls }) => calls.map(toEntry),
});

/** Creates the `http` collector of outgoing requests. */
export function createHttpCollector(redactor: Redactor): ListeningCollector {
  const reader = new MessageReader(redactor);
  return createCallCollector<HttpSection>({
    name: 'http',
    part: httpPart,
    channel: 'lookback:http:call',
    maxCalls: limits.calls,
    late: ({ method, url, startedAt, callSite }) => ({
      kind: 'call',
      text: `${reader.word(method)} ${redactor.url(messageText(url, limits.url))}`,
      startedAt: positiveNumber(startedAt),
      callSite: reader.callSite(callSite),
    }),
    section(kept, startedAt) {
      let left: number = limits.bodies;
      const calls = kept.messages.map((message) => {
        const call = readCall(message, { reader, startedAt, takesBodies: left > 0 });
        left -= (call.requestBody?.text?.length ?? 0) + (call.responseBody?.text?.length ?? 0);
        return call;
      });
      const durationMs = calls.reduce((sum, call) => sum + call.durationMs, 0);
      const failed = calls.filter(hasFailed).length;
      return { calls, totals: { calls: calls.length + kept.more, failed, durationMs } };
    },
  });
}

/** Returns whether a call ended with an error or with a status of 400 or above. */
export function hasFailed({ status, error }: Pick<HttpCall, 'status' | 'error'>): boolean {
  return error !== null || status >= 400;
}

/** Returns the `id` of a call's row by its index. */
export function callAnchor(place: number): string {
  return `call-${place + 1}`;
}

function toEntry(
  { method, url, offsetMs, durationMs, isOpen, status, error }: HttpCall,
  place: number,
): TimelineEntry {
  return {
    name: `${method} ${url.slice(0, 160)}`,
    startMs: offsetMs,
    durationMs,
    category: 'http',
    detail: error ?? (status === 0 ? 'no answer yet' : String(status)),
    anchor: callAnchor(place),
    ...(isOpen ? { open: true as const } : {}),
  };
}

interface Reading {
  readonly reader: MessageReader;
  readonly startedAt: number;
  readonly takesBodies: boolean;
}

function readCall(message: ChannelMessage, { reader, startedAt, takesBodies }: Reading): HttpCall {
  const { redactor } = reader;
  const [began, sent, answered] = ['startedAt', 'sentAt', 'answeredAt'].map((name) =>
    positiveNumber(message[name]),
  );
  const ended = positiveNumber(message['endedAt']);
  const [from = 0, to = ended === 0 ? performance.now() : ended] = [began];
  const responseHeaders = headersOf(message['responseHeaders']);
  const requestHeaders = headersOf(message['requestHeaders']);
  const body = (name: string, headers: readonly string[]): HttpCall['requestBody'] =>
    bodyOf(message[name], { redactor, contentType: findField(headers, 'content-type') ?? '', takesBodies });
  return {
    method: reader.word(message['method']),
    url: redactor.url(messageText(message['url'], limits.url)),
    status: positiveNumber(message['status']),
    ...reader.call(message, startedAt),
    durationMs: Math.max(0, to - from),
    isOpen: ended === 0,
    phases: {
      sendMs: between(from, sent ?? 0),
      waitMs: between(sent ?? 0, answered ?? 0),
      receiveMs: between(answered ?? 0, ended),
    },
    requestHeaders: redactor.headers(requestHeaders),
    responseHeaders: redactor.headers(responseHeaders),
    requestBody: body('request', requestHeaders),
    responseBody: body('response', responseHeaders),
    record: findField(responseHeaders, 'x-debug-token')?.slice(0, 64) ?? null,
    recordLink: linkOf(findField(responseHeaders, 'x-debug-token-link')),
    spanId: messageText(message['spanId']),
  };
}

function bodyOf(
  seen: unknown,
  { redactor, contentType, takesBodies }: { redactor: Redactor; contentType: string; takesBodies: boolean },
): HttpCall['requestBody'] {
  if (typeof seen !== 'object' || seen === null) return null;
  const { bytes, chunks } = seen as { readonly bytes?: unknown; readonly chunks?: unknown }; // both fields are checked
  const kept = Array.isArray(chunks) ? chunks.filter((chunk) => chunk instanceof Uint8Array) : [];
  const content = Buffer.concat(kept);
  const total = positiveNumber(bytes);
  const body =
    takesBodies && content.length > 0
      ? takeBody({ content, bytes: total, contentType }, { redactor, limit: 16_384 })
      : null;
  const text = body?.encoding === 'text' ? body.content : null;
  return { text, bytes: total, isCut: text !== null && body?.cut === true };
}

function headersOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, limits.headers).map((text) => messageText(text, 2000));
}

/** Returns a link if it is an HTTP URL, so that it is safe to show as a link. */
function linkOf(link: string | undefined): string | null {
  return link !== undefined && /^https?:\/\/[^\s<>"]{1,500}$/i.test(link) ? link : null;
}

function between(from: number, to: number): number {
  return from > 0 && to > from ? to - from : 0;
}
