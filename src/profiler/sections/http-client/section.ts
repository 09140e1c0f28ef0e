import type { Redactor } from '#core/dump';
import { findField } from '#core/http';
import type { TimelineEntry } from '../../model/profile-record.js';
import { takeBody } from '../../encoding/take-body.js';
import { type SectionDefinition, cleanTexts, defineSection } from '../define-section.js';
import type { CallFacts } from '../message-reader.js';

export interface HttpSection {
  readonly calls: readonly HttpCall[];
  readonly totals: { readonly calls: number; readonly failed: number; readonly durationMs: number };
}

export interface CallBody {
  /** Base64 when collected; null if nothing was kept. */
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
  /** Cancelled by the application, other than by a timeout. */
  readonly isCancelled?: true;
  /**
   * Time until the request head was sent (including DNS and connecting), until the response began, and until it ended.
   */
  readonly phases: { readonly sendMs: number; readonly waitMs: number; readonly receiveMs: number };
  /** Alternating names and values. */
  readonly requestHeaders: readonly string[];
  readonly responseHeaders: readonly string[];
  readonly requestBody: CallBody | null;
  readonly responseBody: CallBody | null;
  /** Token and URL of the record made by the called service. */
  readonly record: string | null;
  readonly recordLink: string | null;
  /** Span id sent with the request; empty if none. */
  readonly spanId: string;
}

/** Limits: calls per request, bytes per body and for all bodies, header names and values, and URL characters. */
export const limits = { calls: 100, body: 16_384, bodies: 128_000, headers: 100, url: 2000 } as const;

export const httpDefinition: SectionDefinition = defineSection<HttpSection>({
  id: 'http',
  numbers: {
    calls: { kind: 'count', of: ({ totals }) => totals.calls },
    durationMs: { kind: 'ms', of: ({ totals }) => totals.durationMs },
  },
  timeline: ({ calls }) => calls.map(toEntry),
  steps: {
    rows: 'calls',
    one: (call) => `1 outgoing call (${call})`,
    all: 'Outgoing calls',
    combined: '{n} calls combined',
  },
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

/** Returns whether a call ended with an error or with a status of 400 or above. */
export function hasFailed({ status, error }: Pick<HttpCall, 'status' | 'error'>): boolean {
  return error !== null || status >= 400;
}

/** Returns a call row's `id` by index. */
export function callAnchor(index: number): string {
  return `call-${index + 1}`;
}

function toEntry(
  { method, url, offsetMs, durationMs, isOpen, isCancelled, status, error }: HttpCall,
  index: number,
): TimelineEntry {
  return {
    name: `${method} ${url.slice(0, 160)}`,
    startMs: offsetMs,
    durationMs,
    category: 'http',
    detail: error ?? (isCancelled ? 'cancelled' : status === 0 ? 'no answer yet' : String(status)),
    anchor: callAnchor(index),
    ...(isOpen ? { open: true as const } : {}),
  };
}

function cleanBody(body: CallBody | null, headers: readonly string[], redactor: Redactor): CallBody | null {
  if (body === null || body.text === null) return body;
  const { bytes } = body;
  const seen = { content: Buffer.from(body.text, 'base64'), bytes, contentType: typeOf(headers) };
  const taken = takeBody(seen, { redactor, limit: limits.body });
  return { text: taken?.content ?? null, bytes, isCut: taken?.cut === true };
}

export function typeOf(headers: readonly string[]): string {
  return findField(headers, 'content-type') ?? '';
}
