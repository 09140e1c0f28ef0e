import { findField } from '#core/http';
import { isRecordedType } from '../../encoding/take-body.js';
import { createCallCollector } from '../collect-messages.js';
import type { CollectedSection } from '../section.js';
import { cleanTexts } from '../define-section.js';
import { type ChannelMessage, callOf, callSiteOf, messageText, positiveNumber } from '../message-reader.js';
import {
  type CallBody,
  type HttpCall,
  type HttpSection,
  hasFailed,
  httpDefinition,
  limits,
  typeOf,
} from './section.js';

export function createHttpCollector(): CollectedSection {
  return createCallCollector<HttpSection>({
    definition: httpDefinition,
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

/** Reads a call. `left` is the number of body bytes that may still be kept. */
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
    ...(message['isCancelled'] === true ? { isCancelled: true as const } : undefined),
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
  const { bytes, chunks } = seen as { readonly bytes?: unknown; readonly chunks?: unknown }; // both fields are checked below
  const kept = Array.isArray(chunks) ? chunks.filter((chunk) => chunk instanceof Uint8Array) : [];
  const text = Buffer.concat(limit > 0 ? kept : []).toString('base64', 0, limit);
  return { text: text || null, bytes: positiveNumber(bytes), isCut: false };
}

function headersOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, limits.headers).map((text) => messageText(text, 2000));
}

/** Returns a link if it is an HTTP URL, and therefore safe to display as a link. */
function linkOf(link: string | undefined): string | null {
  return link !== undefined && /^https?:\/\/[^\s<>"]{1,500}$/i.test(link) ? link : null;
}

function between(from: number, to: number): number {
  return from > 0 && to > from ? to - from : 0;
}
