import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { NotFoundError } from '#errors';
import { type HttpRequest, type ResponseBody, HttpResponse } from '#http';
import { answerFile, contentTypeOf, findFile, findFileBelow } from './file-content.js';

export interface DownloadOptions {
  /** The name that is suggested to the client. Default: the name of the file. */
  readonly filename?: string;
  /** Default: the type of the file name. */
  readonly type?: string;
  /** Whether the browser shows the file instead of saving it. Default false. */
  readonly inline?: boolean;
  /** A folder to which the path is confined, so that it may come from a client. Without it, the path must be trusted. */
  readonly root?: string;
}

/**
 * Creates an answer that the browser saves as a file, from a path, bytes, or a stream. Files support ranges (Range) and
 * conditional requests. A missing file is a 404.
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
  if (typeof source !== 'string') return new HttpResponse(source, { headers });
  const { root } = options;
  const file =
    root === undefined ? await findFile(source) : await findFileBelow(await realpath(root), source);
  if (typeof file !== 'object') throw new NotFoundError('There is no such file.');
  return answerFile(request, file, headers);
}

/**
 * Renders a Content-Disposition (RFC 6266) that suggests a file name. Non-ASCII names are encoded by RFC 8187, with an
 * ASCII fallback for old clients. Only the last segment of a path is used.
 */
export function contentDisposition(
  filename: string | undefined,
  type: 'attachment' | 'inline' = 'attachment',
): string {
  if (filename === undefined) return type;
  const name = lastName(filename);
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const extended = plain === name ? '' : `; filename*=UTF-8''${encodeValue(name)}`;
  return `${type}; filename="${plain}"${extended}`;
}

function lastName(filename: string): string {
  const name = filename
    .slice(filename.lastIndexOf('/') + 1)
    .slice(-200)
    // eslint-disable-next-line no-control-regex -- control characters are removed
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/\p{Surrogate}/gu, '\ufffd');
  const bare = name.slice(name.lastIndexOf('\\') + 1);
  return bare === '' || bare === '.' || bare === '..' ? 'download' : bare;
}

/** Percent-encodes a value, including the characters that `encodeURIComponent` keeps but RFC 8187's attr-char excludes. */
function encodeValue(text: string): string {
  return encodeURIComponent(text).replace(
    /['()*]/g,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
