import { checkOptions, flag, optionsSchema, type OptionsSchema, text } from '#core/options';
import { type FileHandle, constants, open, realpath, stat } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { lookup } from 'mrmime';
import { HttpError, NotFoundError } from '#core/errors';
import { type HttpRequest, type ResponseBody, HttpResponse } from '#core/http';
import { assertPreconditions, isNotModified, isRangeCurrent, omittedBody } from './etag.js';
import { webErrors } from './web-extension.js';

/**
 * Answers GET or HEAD with a file: 200, 206 for one range, or 304 if the client has it. Its ETag consists of size and
 * modification time; `own` are the fields of every response except errors. Throws 412 and 416 as an `HttpError`.
 */
export async function answerFile(
  request: HttpRequest,
  file: FoundFile,
  own: Readonly<Record<string, string>>,
): Promise<HttpResponse> {
  const { size, modified } = file;
  const etag = `"${size.toString(36)}-${Math.round(modified * 1000).toString(36)}"`;
  const validators = { etag, modified };
  const lastModified = new Date(modified).toUTCString();
  const headers = { ...own, 'Accept-Ranges': 'bytes', ETag: etag, 'Last-Modified': lastModified };
  assertPreconditions(request, validators);
  if (isNotModified(request, validators)) {
    request.scope.set(omittedBody, { type: own['Content-Type'], size });
    return new HttpResponse(null, { status: 304, headers });
  }
  const requestedRange =
    request.method === 'GET' && isRangeCurrent(request, validators)
      ? parseByteRange(request.headers.get('range'), size)
      : undefined;
  if (requestedRange === 'unsatisfiable')
    throw new HttpError(416, `The content has ${size} bytes, none of which are in the range.`, {
      headers: { 'Content-Range': `bytes */${size}`, 'Accept-Ranges': 'bytes' },
    });
  const range = requestedRange ?? { start: 0, end: size - 1 };
  const response = new HttpResponse(null, { status: requestedRange === undefined ? 200 : 206, headers });
  response.headers.set('Content-Length', String(range.end - range.start + 1));
  if (requestedRange !== undefined)
    response.headers.set('Content-Range', `bytes ${requestedRange.start}-${requestedRange.end}/${size}`);
  if (request.method !== 'HEAD') response.body = size === 0 ? '' : await readFileBytes(file, range);
  return response;
}

/** A range of bytes; both ends are inclusive. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const singleRangePattern = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i;

/**
 * Parses a Range header (RFC 9110 section 14.2); undefined means the whole content: for a missing or malformed header,
 * several ranges, or a suffix of an empty file.
 */
export function parseByteRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const found = singleRangePattern.exec(header ?? '');
  if (found === null) return undefined;
  const [, first = '', last = ''] = found;
  if (first === '') return last === '' ? undefined : suffix(Number(last), size);
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}

function suffix(length: number, size: number): ByteRange | 'unsatisfiable' | undefined {
  if (length === 0) return 'unsatisfiable';
  return size === 0 ? undefined : { start: Math.max(0, size - length), end: size - 1 };
}

export function contentTypeOf(name: string): string {
  const type = lookup(name) ?? 'application/octet-stream';
  return /^text\/|javascript|json$|xml$/.test(type) ? `${type}; charset=utf-8` : type;
}

const chunkBytes = 65_536;

/**
 * Returns the bytes of a range: at once if the file is small, otherwise as a stream that is read as fast as the client
 * reads.
 */
async function readFileBytes(file: FoundFile, range: ByteRange): Promise<ResponseBody> {
  if (file.size > chunkBytes) return readChunks(file, range);
  const handle = await openFound(file);
  try {
    return (await handle.readFile()).subarray(range.start, range.end + 1);
  } finally {
    await handle.close();
  }
}

/** Reads a range in chunks. The file is opened with the first chunk, so that no file is open without a reader. */
async function* readChunks(file: FoundFile, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
  const handle = await openFound(file);
  yield* handle.createReadStream({ start, end }) as AsyncIterable<Uint8Array>; // without an encoding, it emits bytes
}

/** Opens a found file. Throws if it was replaced or changed since then, because the headers describe the found file. */
async function openFound(file: FoundFile): Promise<FileHandle> {
  // Windows does not have `O_NOFOLLOW`.
  const handle = await open(file.path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  const { size, mtimeMs, ino } = await handle.stat();
  if (size === file.size && mtimeMs === file.modified && ino === file.inode) return handle;
  await handle.close();
  throw webErrors.create('WEB_FILE_CHANGED', {});
}

/** A file's state when it was looked up. */
export interface FoundFile {
  /** Path with symbolic links resolved. */
  readonly path: string;
  readonly size: number;
  /** Modification time in milliseconds since 1970. */
  readonly modified: number;
  readonly inode: number;
}

/** Finds the file at a path, following symbolic links. Returns `folder` for a folder, undefined for anything else. */
export async function findFile(path: string): Promise<FoundFile | 'folder' | undefined> {
  try {
    const real = await realpath(path);
    const facts = await stat(real);
    if (facts.isDirectory()) return 'folder';
    if (!facts.isFile()) return undefined;
    return { path: real, size: facts.size, modified: facts.mtimeMs, inode: facts.ino };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Finds the file at a path below `root`; `root` itself must not contain symbolic links. Also returns undefined if a
 * name begins with a dot (except `.well-known`), if a file system might interpret a name differently, or if a symbolic
 * link leads out of the root.
 */
export async function findFileBelow(root: string, path: string): Promise<FoundFile | 'folder' | undefined> {
  const names = path.split('/').filter((name, at, all) => name !== '' || (at > 0 && at < all.length - 1));
  if (!names.every(isPlainName)) return undefined;
  const found = await findFile(join(root, ...names));
  if (typeof found !== 'object') return found;
  return found.path.startsWith(root.endsWith(sep) ? root : root + sep) ? found : undefined;
}

/** Refuses empty names, `..`, hidden files, other systems' separators and drives, and control characters. */
function isPlainName(name: string): boolean {
  if (name === '' || (name.startsWith('.') && name !== '.well-known')) return false;
  // eslint-disable-next-line no-control-regex -- names with control characters are refused
  return !/[\\:\x00-\x1f\x7f]/.test(name);
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG' || code === 'ELOOP';
}

export interface DownloadOptions {
  /** The file name suggested to the client. Default: the file's own name. */
  readonly filename?: string;
  /** Default: the media type for the file name. */
  readonly type?: string;
  /** Whether the browser shows the file instead of saving it. Default false. */
  readonly inline?: boolean;
  /** A folder that the path is confined to, so that it may come from a client. Without it, the path must be trusted. */
  readonly root?: string;
}

export const downloadSchema: OptionsSchema<DownloadOptions> = optionsSchema<DownloadOptions>({
  filename: text,
  type: text,
  inline: flag,
  root: text,
});

/**
 * Creates a response that the browser saves as a file, from a path, bytes, or a stream. Files support ranges (Range)
 * and conditional requests. A missing file is a 404.
 */
export async function download(
  request: HttpRequest,
  source: string | Exclude<ResponseBody, string | null>,
  options: DownloadOptions = {},
): Promise<HttpResponse> {
  checkOptions('download()', options, downloadSchema);
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
 * Renders a Content-Disposition (RFC 6266) with the last path segment as the file name; non-ASCII as in RFC 8187, with
 * a fallback.
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
