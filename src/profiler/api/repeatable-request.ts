import { redactedMark } from '#dump';
import { findHeader } from '../model/recorded-message.js';
import type { ProfileRecord } from '../model/profile-record.js';

/** A recorded request as far as it can be sent again. */
export interface RepeatableRequest {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  /** Without the fields that a client sets on its own, and without secrets. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: { readonly encoding: 'text' | 'base64'; readonly content: string } | undefined;
  /** What the record does not hold: names of fields, and words for the rest. */
  readonly missing: readonly string[];
  /** False where the URL or the body is not what was sent: sending it would mean something else. */
  readonly isWhole: boolean;
}

/** Fields that belong to a connection, or that a client makes of the rest. */
const connectionHeaders = new Set(
  (
    'host connection keep-alive proxy-connection proxy-authorization transfer-encoding content-length te trailer ' +
    'upgrade expect http2-settings accept-encoding lookback-replay'
  ).split(' '),
);

/** The part of the record that can be sent again, and what is missing. */
export function repeatableRequest({ request }: ProfileRecord): RepeatableRequest {
  const { body, headers } = request;
  const named = headers.filter(
    ([name]) => !connectionHeaders.has(name.toLowerCase()) && !name.startsWith(':'),
  );
  const hidden = named.filter(([, value]) => value.includes(redactedMark)).map(([name]) => name);
  const announced = findHeader(headers, 'content-length') ?? '0';
  const gaps = [
    ...(hasMark(request.url) ? ['a secret in the URL'] : []),
    ...(body === null && announced !== '0' ? ['the body, which was not recorded'] : []),
    ...(body?.cut === true ? ['a part of the body, which was recorded in part'] : []),
    ...(body !== null && hasMark(body.content) ? ['secrets in the body'] : []),
  ];
  return {
    method: request.method,
    url: request.url,
    headers: named.filter(([, value]) => !value.includes(redactedMark)),
    body: body === null ? undefined : { encoding: body.encoding, content: body.content },
    missing: [...new Set(hidden), ...gaps],
    isWhole: gaps.length === 0,
  };
}

function hasMark(text: string): boolean {
  return text.includes(redactedMark) || text.includes(encodeURIComponent(redactedMark));
}

/** The request in the form that `fetch` takes, sent to `url`. Redirects are not followed. */
export function toFetchRequest(
  { method, headers, body }: RepeatableRequest,
  url: string | URL,
  signal: AbortSignal,
): Request {
  return new Request(url, {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    signal,
    redirect: 'manual',
    ...(body === undefined || method === 'GET' || method === 'HEAD'
      ? {}
      : { body: Buffer.from(body.content, body.encoding === 'base64' ? 'base64' : 'utf8') }),
  });
}

/** The sentence that says what is missing, on one line of plain characters; undefined where nothing is. */
export function wordsOfMissing({ missing }: RepeatableRequest): string | undefined {
  if (missing.length === 0) return undefined;
  const words = missing
    .join(', ')
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, 1_000);
  return `Left out, because the record does not hold it: ${words}.`;
}
