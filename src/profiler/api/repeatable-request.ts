import { redactedMark } from '#dump';
import { findHeader } from '../model/recorded-message.js';
import type { ProfileRecord } from '../model/profile-record.js';

/** The part of a recorded request that can be sent again. */
export interface RepeatableRequest {
  readonly method: string;
  /** Absolute URL. */
  readonly url: string;
  /** Headers except those that a client sets itself, and without secrets. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: { readonly encoding: 'text' | 'base64'; readonly content: string } | undefined;
  /** What the record does not contain: names of headers, and descriptions of the rest. */
  readonly missing: readonly string[];
  /** Whether the URL and the body are as they were sent; otherwise sending the request could mean something else. */
  readonly isWhole: boolean;
}

/** Headers that belong to a connection, or that a client derives from the rest. */
const connectionHeaders = new Set(
  (
    'host connection keep-alive proxy-connection proxy-authorization transfer-encoding content-length te trailer ' +
    'upgrade expect http2-settings accept-encoding lookback-replay'
  ).split(' '),
);

/** Returns the part of the request that can be sent again, and what is missing. */
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

/** Creates a `Request` for `fetch`, sent to `url`. Redirects are not followed. */
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

/** Returns a sentence with what is missing, on one line of ASCII characters; undefined if nothing is missing. */
export function describeMissing({ missing }: RepeatableRequest): string | undefined {
  if (missing.length === 0) return undefined;
  const words = missing
    .join(', ')
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, 1_000);
  return `Left out, because the record does not hold it: ${words}.`;
}
