import { findHeader } from '../model/recorded-message.js';
import type { ProfileRecord } from '../model/profile-record.js';
import { type RepeatableRequest, describeMissing } from './repeatable-request.js';

const indentation = '  ';

/** Renders the request as a call of `fetch`, for Node or a browser's console. */
export function renderFetch(request: RepeatableRequest): string {
  const missing = describeMissing(request);
  const comment = missing === undefined ? '' : `// ${missing}\n`;
  return `${comment}const response = await fetch(${JSON.stringify(request.url)}, ${optionsOf(request, '')});\n`;
}

/**
 * Renders a test that sends the request and expects the recorded response: status, media type, and the body if it is
 * JSON that the record contains completely and without secrets. It calls the server in `APP_URL`, otherwise the
 * recorded one.
 */
export function renderTest(
  request: RepeatableRequest,
  { record, runner }: { readonly record: ProfileRecord; readonly runner: 'node' | 'vitest' },
): string {
  const { origin, target } = partsOf(request.url);
  const missing = describeMissing(request);
  const isNode = runner === 'node';
  const equal = (actual: string, expected: string): string =>
    isNode ? `assert.deepEqual(${actual}, ${expected});` : `expect(${actual}).toEqual(${expected});`;
  const { status = 0, headers = [] } = record.response ?? {};
  const type = findHeader(headers, 'content-type');
  const json = jsonOf(record);
  return [
    ...(missing === undefined ? [] : [`// ${missing}`]),
    ...(isNode
      ? ["import assert from 'node:assert/strict';", "import { it } from 'node:test';"]
      : ["import { expect, it } from 'vitest';"]),
    '',
    `const origin = process.env['APP_URL'] ?? ${JSON.stringify(origin)};`,
    '',
    `it(${JSON.stringify(`${request.method} ${target.slice(0, 200)} answers ${status}`)}, async () => {`,
    `${indentation}const response = await fetch(new URL(${JSON.stringify(target)}, origin), ${optionsOf({ ...request, redirect: 'manual' }, indentation)});`,
    indentation + equal('response.status', String(status)),
    ...(type === undefined
      ? []
      : [indentation + equal("response.headers.get('content-type')", JSON.stringify(type))]),
    ...(json === undefined ? [] : [indentation + equal('await response.json()', json)]),
    '});',
    '',
  ].join('\n');
}

function optionsOf(
  { method, headers, body, redirect }: RepeatableRequest & { readonly redirect?: string },
  indent: string,
): string {
  const lines = [
    `method: ${JSON.stringify(method)},`,
    ...(redirect === undefined ? [] : [`redirect: ${JSON.stringify(redirect)},`]),
    'headers: [',
    ...headers.map((pair) => `${indentation}${JSON.stringify(pair)},`),
    '],',
    ...(body === undefined ? [] : [`body: ${bodyText(body)},`]),
  ];
  return `{\n${lines.map((line) => `${indent}${indentation}${line}\n`).join('')}${indent}}`;
}

function bodyText({ encoding, content }: NonNullable<RepeatableRequest['body']>): string {
  const text = JSON.stringify(content);
  return encoding === 'text'
    ? text
    : `Uint8Array.from(atob(${text}), (character) => character.charCodeAt(0))`;
}

function partsOf(url: string): { origin: string; target: string } {
  const origin = /^https?:\/\/[^/?#]*/i.exec(url)?.[0] ?? 'http://localhost';
  return { origin, target: url.slice(origin.length) || '/' };
}

/** Returns the JSON of the response as source text; undefined if the record does not contain it unchanged. */
function jsonOf({ response }: ProfileRecord): string | undefined {
  const body = response?.body ?? undefined;
  if (body === undefined || body.cut || body.encoding !== 'text' || !/json/i.test(body.contentType))
    return undefined;
  if (body.content.includes('[redacted]') || body.content.length > 4_000) return undefined;
  try {
    return JSON.stringify(JSON.parse(body.content));
  } catch {
    return undefined;
  }
}
