import { lookup } from 'mrmime';
import type { Content } from './answer-content.js';
import type { FoundFile } from './find-file.js';
import { type FileHandle, constants, open } from 'node:fs/promises';
import type { ResponseBody } from '#http';
import { webErrors } from '../error-codes.js';
import type { ByteRange } from './byte-range.js';

/** Returns the content type for a file name. */
export function contentTypeOf(name: string): string {
  const type = lookup(name) ?? 'application/octet-stream';
  return /^text\/|javascript|json$|xml$/.test(type) ? `${type}; charset=utf-8` : type;
}

/** Creates the content of a file. Its ETag consists of size and modification time. */
export function fileContent(file: FoundFile, headers: Content['headers']): Content {
  return {
    size: file.size,
    modified: file.modified,
    etag: `"${file.size.toString(36)}-${Math.round(file.modified * 1000).toString(36)}"`,
    headers,
    read: (range) => readFileBytes(file, range),
  };
}

const chunkBytes = 65_536;

/** Returns the bytes of a range: at once if there are few, else as a stream that is read as fast as the client reads. */
async function readFileBytes(file: FoundFile, range: ByteRange): Promise<ResponseBody> {
  const length = range.end - range.start + 1;
  if (length > chunkBytes) return readChunks(file, range);
  const handle = await openFound(file);
  try {
    return await readAt(handle, range.start, length);
  } finally {
    await handle.close();
  }
}

/** Reads a range in chunks. The file is opened with the first chunk, so that no file is open without a reader. */
async function* readChunks(file: FoundFile, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
  const handle = await openFound(file);
  try {
    for (let at = start; at <= end; at += chunkBytes)
      yield await readAt(handle, at, Math.min(chunkBytes, end - at + 1));
  } finally {
    await handle.close();
  }
}

async function readAt(handle: FileHandle, start: number, length: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length;) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, start + filled);
    if (bytesRead === 0) throw webErrors.create('WEB_FILE_CHANGED', {});
    filled += bytesRead;
  }
  return bytes;
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
