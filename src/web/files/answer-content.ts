import { HttpError } from '#errors';
import type { HttpRequest, ResponseBody } from '#http';
import { HttpResponse } from '#http';
import type { Validators } from '../check-conditions.js';
import { isNotModified, isPreconditionFailed, isRangeCurrent } from '../check-conditions.js';
import type { ByteRange } from './byte-range.js';
import { parseByteRange } from './byte-range.js';

/** A content of known size, of which any range can be read. */
export interface Content extends Validators {
  readonly size: number;
  /** Header fields of every answer except errors. */
  readonly headers: Readonly<Record<string, string>>;
  read(range: ByteRange): ResponseBody | Promise<ResponseBody>;
}

/**
 * Answers GET or HEAD with a content: 200, 206 for one range, or 304 if the client has it. Throws 412 and 416 as an
 * `HttpError`.
 */
export async function answerContent(request: HttpRequest, content: Content): Promise<HttpResponse> {
  const { size } = content;
  if (isPreconditionFailed(request, content))
    throw new HttpError(412, 'The content has changed: a precondition of the request does not hold.');
  const headers = headersOf(content);
  if (isNotModified(request, content)) return new HttpResponse(null, { status: 304, headers });
  const requestedRange =
    request.method === 'GET' && isRangeCurrent(request, content)
      ? parseByteRange(request.headers.get('range'), size)
      : undefined;
  if (requestedRange === 'unsatisfiable')
    throw new HttpError(416, `The content has ${size} bytes; none of them are in the range.`, {
      headers: { 'Content-Range': `bytes */${size}`, 'Accept-Ranges': 'bytes' },
    });
  const range = requestedRange ?? { start: 0, end: size - 1 };
  const response = new HttpResponse(null, { status: requestedRange === undefined ? 200 : 206, headers });
  response.headers.set('Content-Length', String(range.end - range.start + 1));
  if (requestedRange !== undefined)
    response.headers.set('Content-Range', `bytes ${requestedRange.start}-${requestedRange.end}/${size}`);
  if (request.method !== 'HEAD') response.body = size === 0 ? '' : await content.read(range);
  return response;
}

function headersOf({ headers, etag, modified }: Content): Record<string, string> {
  return {
    ...headers,
    'Accept-Ranges': 'bytes',
    ...(etag === undefined ? {} : { ETag: etag }),
    ...(modified === undefined ? {} : { 'Last-Modified': new Date(modified).toUTCString() }),
  };
}
