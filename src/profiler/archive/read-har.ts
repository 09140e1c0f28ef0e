import { createHash } from 'node:crypto';
import { createRedactor } from '#dump';
import type { Schema } from '../model/shape.js';
import { readCookies, readParsed, readSetCookies, readTargetQuery } from '../record/read-message.js';
import { type ProfileRecord, type RecordedSpan, recordSchema } from '../model/profile-record.js';
import type { RecordedBody, RecordedHeaders } from '../model/profile-record.js';
import { type DataOf, schemaOf } from './file-shape.js';
import { foreignRecordDefaults } from './foreign-record-defaults.js';
import { takeBody } from '../redact/take-body.js';
import { recorderLimits } from '../tape/recorder-limits.js';

const harShape = {
  log: {
    'creator?': { 'name?': 'text', 'version?': 'text' },
    entries: [
      {
        startedDateTime: 'date',
        time: 'number',
        request: {
          method: 'text',
          url: 'text',
          'httpVersion?': 'text',
          headers: [{ name: 'text', value: 'text' }],
          'bodySize?': 'number',
          'postData?': { 'mimeType?': 'text', 'text?': 'text', 'comment?': 'text' },
        },
        response: {
          status: 'number',
          headers: [{ name: 'text', value: 'text' }],
          'bodySize?': 'number',
          'content?': { 'size?': 'number', 'mimeType?': 'text', 'text?': 'text', 'encoding?': 'text' },
        },
        'timings?': 'object',
        'comment?': 'text',
      },
    ],
  },
} as const;

/** The part of an HTTP Archive (HAR 1.2) that is read. */
export type HarFile = DataOf<typeof harShape>;
type HarEntry = HarFile['log']['entries'][number];

/** JSON Schema of `HarFile`. */
export const harSchema: Schema = schemaOf(harShape);

const redactor = createRedactor();

/**
 * Converts the requests of an HTTP Archive to records, bounded and without secrets. Entries with other schemes (`data:`,
 * browser extensions) are skipped and counted in `leftOut`.
 */
export function readHar({ log: { entries, creator } }: HarFile): {
  readonly records: readonly ProfileRecord[];
  readonly leftOut: number;
} {
  const source = [creator?.name ?? 'HTTP archive', creator?.version ?? ''].join(' ').trim();
  const records = entries.flatMap((entry, place) => {
    const { url } = entry.request;
    return /^https?:/i.test(url) && URL.canParse(url) ? [toRecord(entry, { place, source })] : [];
  });
  return { records, leftOut: entries.length - records.length };
}

function toRecord(
  entry: HarEntry,
  { place, source }: { readonly place: number; readonly source: string },
): ProfileRecord {
  const { comment = '' } = entry;
  const startedAt = Date.parse(entry.startedDateTime) || 0;
  const durationMs = Math.max(0, entry.time);
  const status = entry.response.status > 0 ? Math.trunc(entry.response.status) : 0;
  const digest = createHash('sha256').update([place, entry.startedDateTime, entry.request.url].join('\n'));
  return {
    ...foreignRecordDefaults,
    schema: recordSchema,
    // Entries of our own exports contain the token of their record.
    token: /^Record ([0-9a-f]{6,32})\b/.exec(comment)?.[1] ?? digest.digest('hex').slice(0, 12),
    sequence: place,
    startedAt,
    durationMs,
    state: status === 0 ? 'aborted' : 'complete',
    request: requestOf(entry.request),
    response: status === 0 ? null : responseOf(entry.response, status),
    route: null,
    timeline: timelineOf(entry.timings ?? {}),
    config: { source },
  };
}

function requestOf({
  method,
  url,
  httpVersion = '',
  headers: fields,
  bodySize = 0,
  postData,
}: HarEntry['request']): ProfileRecord['request'] {
  const { origin, protocol, host, pathname, search } = new URL(url);
  const target = redactor.url(pathname + search);
  const pairs = pairsOf(fields);
  const isBinary = /\bbase64\b/.test(postData?.comment ?? '');
  const body = bodyOf(postData?.text, {
    contentType: postData?.mimeType ?? '',
    bytes: bodySize,
    isBinary,
    limit: recorderLimits.requestBody,
  });
  return {
    method,
    url: origin + target,
    target,
    path: target.replace(/\?.*$/s, ''),
    httpVersion: httpVersion.replace(/^https?\/|^h(?=\d)/i, '').replace(/^([23])\.0$/, '$1') || '1.1',
    scheme: protocol === 'https:' ? 'https' : 'http',
    host,
    clientAddress: '',
    peer: { address: '', port: 0 },
    headers: pairs,
    cookies: readCookies(pairs),
    query: readTargetQuery(target),
    body,
    parsed: readParsed(body),
    locale: null,
    user: null,
  };
}

function responseOf(
  { headers: fields, bodySize = -1, content = {} }: HarEntry['response'],
  status: number,
): ProfileRecord['response'] {
  const pairs = pairsOf(fields);
  const bytes = bodySize >= 0 ? bodySize : Math.max(0, content.size ?? 0);
  const { text: body, mimeType: contentType = '', encoding } = content;
  return {
    status,
    headers: pairs,
    cookies: readSetCookies(pairs),
    bodyBytes: bytes,
    body: bodyOf(body, {
      contentType,
      bytes: Math.max(0, content.size ?? 0),
      isBinary: encoding === 'base64',
      limit: recorderLimits.responseBody,
    }),
    completed: true,
  };
}

function pairsOf(fields: HarEntry['request']['headers']): RecordedHeaders {
  return fields.map(({ name, value }) => {
    const [, clean = ''] = redactor.headers([name, value]);
    return [name, clean];
  });
}

function bodyOf(
  given: string | undefined,
  {
    contentType,
    bytes,
    isBinary,
    limit,
  }: {
    readonly contentType: string;
    readonly bytes: number;
    readonly isBinary: boolean;
    readonly limit: number;
  },
): RecordedBody | null {
  if (given === undefined || given === '') return null;
  const content = isBinary ? Buffer.from(given, 'base64') : given;
  const size = Math.max(bytes, Buffer.byteLength(content));
  const taken = takeBody({ content, bytes: size, contentType }, { redactor, limit });
  if (taken === null) return null;
  const { encoding, cut } = taken;
  return { encoding, content: taken.content, contentType: taken.contentType, bytes: size, cut };
}

/** Converts the timings of the browser to consecutive spans. `ssl` is skipped because it is part of `connect`. */
function timelineOf(timings: Readonly<Record<string, unknown>>): readonly RecordedSpan[] {
  let startMs = 0;
  return ['blocked', 'dns', 'connect', 'send', 'wait', 'receive'].flatMap((name) => {
    const durationMs = timings[name];
    if (typeof durationMs !== 'number' || !(durationMs > 0)) return [];
    const span = { name, category: 'client', startMs, durationMs };
    startMs += durationMs;
    return [span];
  });
}
