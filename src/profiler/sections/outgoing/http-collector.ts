import type { Redactor } from '#core/dump';
import { findField } from '#core/http';
import type { TimelineEntry } from '../../model/profile-record.js';
import { isRecordedType, takeBody } from '../../encoding/take-body.js';
import { createCallCollector, type ListeningCollector } from '../create-channel-collector.js';
import { cleanTexts, type CompletedPart, definePart } from '../define-part.js';
import {
  type CallFacts,
  callOf,
  callSiteOf,
  type ChannelMessage,
  messageText,
  positiveNumber,
} from '../message-reader.js';

export interface HttpSection {
  readonly calls: readonly HttpCall[];
  readonly totals: { readonly calls: number; readonly failed: number; readonly durationMs: number };
}

interface CallBody {
  /** As base64 in a call as it is taken; null if nothing was kept. */
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

/** Limits: calls per request, bytes of one body and of all bodies, names and values of headers, and characters of a URL. */
const limits = { calls: 100, body: 16_384, bodies: 128_000, headers: 100, url: 2000 } as const;

export const httpPart: CompletedPart = definePart<HttpSection>({
  name: 'http',
  summary: {
    calls: { kind: 'count', of: ({ totals }) => totals.calls },
    durationMs: { kind: 'ms', of: ({ totals }) => totals.durationMs },
  },
  timeline: ({ calls }) => calls.map(toEntry),
  clean: ({ totals, calls }, redactor) => ({
    totals,
    calls: calls.map(({ url, requestHeaders, responseHeaders, requestBody, responseBody, ...call }) => ({
      ...cleanTexts(call, redactor, ['record', 'recordLink', 'spanId']),
      url: redactor.url(url),
      requestHeaders: redactor.headers(requestHeaders),
      responseHeaders: redactor.headers(responseHeaders),
      requestBody: cleanBody(requestBody, requestHeaders, redactor),
      responseBody: cleanBody(responseBody, responseHeaders, redactor),
    })),
  }),
});

export function createHttpCollector(): ListeningCollector {
  return createCallCollector<HttpSection>({
    part: httpPart,
    channel: 'lookback:http:call',
    maxCalls: limits.calls,
    late: ({ method, url, startedAt, callSite }, redactor) => ({
      kind: 'call',
      text: `${redactor.text(messageText(method))} ${redactor.url(messageText(url, limits.url))}`,
      startedAt: positiveNumber(startedAt),
      callSite: cleanTexts(callSiteOf(callSite), redactor),
    }),
    section(kept, startedAt) {
      let left: number = limits.bodies;
      const calls = kept.messages.map((message) => {
        const call = readCall(message, startedAt, left);
        for (const body of [call.requestBody, call.responseBody])
          left -= Buffer.byteLength(body?.text ?? '', 'base64');
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

/** `left`: bytes of bodies that may still be kept. */
function readCall(message: ChannelMessage, startedAt: number, left: number): HttpCall {
  const [from, sent, answered, ended] = [
    positiveNumber(message['startedAt']),
    positiveNumber(message['sentAt']),
    positiveNumber(message['answeredAt']),
    positiveNumber(message['endedAt']),
  ];
  const requestHeaders = headersOf(message['requestHeaders']);
  const responseHeaders = headersOf(message['responseHeaders']);
  return {
    method: messageText(message['method'], 300),
    url: messageText(message['url'], limits.url),
    status: positiveNumber(message['status']),
    ...callOf(message, startedAt),
    durationMs: Math.max(0, (ended || performance.now()) - from),
    isOpen: ended === 0,
    phases: {
      sendMs: between(from, sent),
      waitMs: between(sent, answered),
      receiveMs: between(answered, ended),
    },
    requestHeaders,
    responseHeaders,
    requestBody: takeContent(message['request'], limitOf(requestHeaders, left)),
    responseBody: takeContent(message['response'], limitOf(responseHeaders, left)),
    record: findField(responseHeaders, 'x-debug-token')?.slice(0, 64) ?? null,
    recordLink: linkOf(findField(responseHeaders, 'x-debug-token-link')),
    spanId: messageText(message['spanId']),
  };
}

function limitOf(headers: readonly string[], left: number): number {
  return left > 0 && isRecordedType(typeOf(headers)) ? limits.body : 0;
}

function takeContent(seen: unknown, limit: number): CallBody | null {
  if (typeof seen !== 'object' || seen === null) return null;
  const { bytes, chunks } = seen as { readonly bytes?: unknown; readonly chunks?: unknown }; // both fields are checked
  const kept = Array.isArray(chunks) ? chunks.filter((chunk) => chunk instanceof Uint8Array) : [];
  const text = Buffer.concat(limit > 0 ? kept : []).toString('base64', 0, limit);
  return { text: text || null, bytes: positiveNumber(bytes), isCut: false };
}

function cleanBody(body: CallBody | null, headers: readonly string[], redactor: Redactor): CallBody | null {
  if (body === null || body.text === null) return body;
  const { bytes } = body;
  const seen = { content: Buffer.from(body.text, 'base64'), bytes, contentType: typeOf(headers) };
  const taken = takeBody(seen, { redactor, limit: limits.body });
  return { text: taken?.content ?? null, bytes, isCut: taken?.cut === true };
}

function typeOf(headers: readonly string[]): string {
  return findField(headers, 'content-type') ?? '';
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
