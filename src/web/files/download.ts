import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { NotFoundError } from '#errors';
import type { HttpRequest, ResponseBody } from '#http';
import { HttpResponse } from '#http';
import { answerContent } from './answer-content.js';
import { contentDisposition } from './content-disposition.js';
import { contentTypeOf, fileContent } from './file-content.js';
import { findFile, findFileBelow } from './find-file.js';

export interface DownloadOptions {
  /** The name that is suggested to the client. Default: the name of the file. */
  readonly filename?: string;
  /** Default: the type of the file name. */
  readonly type?: string;
  /** Whether the browser shows the file instead of saving it. Default false. */
  readonly inline?: boolean;
  /** A folder to which the path is confined, so that it may come from a client. Without it, the path must be trusted. */
  readonly root?: string;
  /** Entity tag with its quotes, for bytes and streams. */
  readonly etag?: string;
}

/**
 * Creates an answer that the browser saves as a file, from a path, bytes, or a stream. Files and bytes support ranges
 * (Range), files also conditional requests. A missing file is a 404.
 */
export async function download(
  request: HttpRequest,
  source: string | Exclude<ResponseBody, string | null>,
  options: DownloadOptions = {},
): Promise<HttpResponse> {
  const name = options.filename ?? (typeof source === 'string' ? basename(source) : undefined);
  const headers = {
    'Content-Type': options.type ?? contentTypeOf(name ?? ''),
    'Content-Disposition': contentDisposition(name, options.inline === true ? 'inline' : 'attachment'),
    'X-Content-Type-Options': 'nosniff',
  };
  if (typeof source === 'string') return downloadFile(request, source, { headers, root: options.root });
  const { etag } = options;
  if (!(source instanceof Uint8Array))
    return new HttpResponse(source, { headers: etag === undefined ? headers : { ...headers, ETag: etag } });
  return answerContent(request, {
    size: source.byteLength,
    etag,
    modified: undefined,
    headers,
    read: ({ start, end }) => source.subarray(start, end + 1),
  });
}

async function downloadFile(
  request: HttpRequest,
  path: string,
  { headers, root }: { readonly headers: Record<string, string>; readonly root: string | undefined },
): Promise<HttpResponse> {
  const file = root === undefined ? await findFile(path) : await findFileBelow(await realpath(root), path);
  if (typeof file !== 'object') throw new NotFoundError('There is no such file.');
  return answerContent(request, fileContent(file, headers));
}
