import { lookup } from 'mrmime';
import type { Content } from './answer-content.js';
import type { FoundFile } from './find-file.js';
import { readFileBytes } from './read-file.js';

/** The content type that the name of a file stands for. */
export function contentTypeOf(name: string): string {
  const type = lookup(name) ?? 'application/octet-stream';
  return /^text\/|javascript|json$|xml$/.test(type) ? `${type}; charset=utf-8` : type;
}

/** A file as a content. Its ETag is made of size and time of change. */
export function fileContent(file: FoundFile, headers: Content['headers']): Content {
  return {
    size: file.size,
    modified: file.modified,
    etag: `"${file.size.toString(36)}-${Math.round(file.modified * 1000).toString(36)}"`,
    headers,
    read: (range) => readFileBytes(file, range),
  };
}
