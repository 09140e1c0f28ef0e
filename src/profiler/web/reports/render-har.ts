import { statusText } from '#core/errors';
import { compact } from '../../view/make-blocks.js';
import { isoTime } from '../../model/formatting.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { findHeader, type RecordedBody, type RecordedHeaders } from '../../model/profile-record.js';

/**
 * Renders records as an HTTP archive (HAR 1.2), truncated and redacted as recorded; each entry's comment is its token.
 */
export function renderHar(records: readonly ProfileRecord[]): string {
  return JSON.stringify({
    log: {
      version: '1.2',
      creator: { name: 'lookback', version: '1' },
      pages: [],
      entries: records.map(entryOf),
    },
  });
}

function entryOf(record: ProfileRecord): object {
  const { request, response, durationMs, token } = record;
  return {
    startedDateTime: isoTime(record.startedAt),
    time: durationMs,
    request: {
      method: request.method,
      url: request.url,
      httpVersion: `HTTP/${request.httpVersion}`,
      cookies: pairs(request.cookies),
      headers: pairs(request.headers),
      queryString: pairs(request.query),
      headersSize: -1,
      bodySize: request.body?.bytes ?? 0,
      ...(request.body === null ? {} : { postData: postDataOf(request.body) }),
    },
    response: {
      status: response?.status ?? 0,
      statusText: response === null ? '' : statusText(response.status),
      httpVersion: `HTTP/${request.httpVersion}`,
      cookies: (response?.cookies ?? []).map(({ name, value }) => ({ name, value })),
      headers: pairs(response?.headers ?? []),
      content: contentOf(response?.body ?? null, response?.bodyBytes ?? 0),
      redirectURL: findHeader(response?.headers ?? [], 'location') ?? '',
      headersSize: -1,
      bodySize: response?.bodyBytes ?? -1,
    },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
    comment: `Record ${token}${record.state === 'complete' ? '' : `, ${record.state}`}`,
  };
}

function pairs(fields: RecordedHeaders): readonly object[] {
  return fields.map(([name, value]) => ({ name, value }));
}

/** HAR only allows text here, so encoding and truncation are noted in the comment. */
function postDataOf({ content, contentType, encoding, cut }: RecordedBody): object {
  const comment = compact(encoding === 'base64' && 'base64', cut && cutComment(content)).join(', ');
  return { mimeType: contentType, text: content, params: [], ...(comment === '' ? {} : { comment }) };
}

function contentOf(body: RecordedBody | null, size: number): object {
  if (body === null) return { size, mimeType: '' };
  return {
    size,
    mimeType: body.contentType,
    text: body.content,
    ...(body.encoding === 'base64' ? { encoding: 'base64' } : {}),
    ...(body.cut ? { comment: cutComment(body.content) } : {}),
  };
}

function cutComment(content: string): string {
  return content === '' ? 'not recorded' : 'cut';
}
