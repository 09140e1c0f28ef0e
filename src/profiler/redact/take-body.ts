import type { Redactor } from '#dump';
import { parseMediaType } from '#http';
import { isUtf8 } from 'node:buffer';
import type { RecordedBody } from '../model/recorded-message.js';
import { MarkupRedactor } from './redact-markup.js';

/** Maximum number of bytes kept of a binary body. */
const binaryHead = 4096;

/** A body as observed when the request ended. */
export interface ObservedBody {
  readonly content: Uint8Array | string;
  /** Total number of bytes that were seen. */
  readonly bytes: number;
  readonly contentType: string;
  /** The application did not read the body. */
  readonly isUnread?: boolean;
}

/** A body as it is recorded. */
export type TakenBody = Omit<RecordedBody, 'isUnread'> & { readonly isUnread: boolean };

/** Returns the beginning of a body, up to a limit and without secrets; null if there is none. */
export function takeBody(
  body: ObservedBody | undefined,
  { redactor, limit }: { readonly redactor: Redactor; readonly limit: number },
): TakenBody | null {
  if (body === undefined || (body.bytes === 0 && body.content.length === 0)) return null;
  const { content, bytes } = body;
  const isUnread = body.isUnread === true;
  const contentType = body.contentType.slice(0, 300);
  const text = typeof content === 'string' ? content : asText(content, { contentType, limit });
  if (text === undefined) {
    const head = (content as Uint8Array).subarray(0, Math.min(binaryHead, limit)); // a string never gets here
    // A form with an uploaded file may also contain a password: secrets in readable parts of the bytes are redacted.
    const clean = redactBody(Buffer.from(head).toString('latin1'), contentType, redactor);
    const base64 = Buffer.from(clean, 'latin1').toString('base64');
    return { encoding: 'base64', content: base64, contentType, bytes, cut: head.length < bytes, isUnread };
  }
  const head = text.length > limit ? text.slice(0, limit) : text;
  return {
    encoding: 'text',
    content: isHtml(contentType)
      ? MarkupRedactor.of(redactor).text(head)
      : redactBody(head, contentType, redactor),
    contentType,
    bytes,
    cut: head.length < text.length || cutBefore(content, bytes, limit),
    isUnread,
  };
}

function asText(
  content: Uint8Array,
  { contentType, limit }: { readonly contentType: string; readonly limit: number },
): string | undefined {
  const head = content.length > limit ? content.subarray(0, limit) : content;
  const wide = wideCharset(head, contentType);
  if (wide !== undefined) return new TextDecoder(wide).decode(head);
  for (let cut = 0; cut < 4; cut++) {
    // The last UTF-8 character may have been cut in the middle.
    const whole = head.subarray(0, head.length - cut);
    if (!isUtf8(whole)) continue;
    const text = Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString('utf8');
    return text.includes('\0') ? undefined : text;
  }
  return undefined;
}

function cutBefore(content: Uint8Array | string, bytes: number, limit: number): boolean {
  if (typeof content !== 'string') return content.byteLength < bytes || content.byteLength > limit;
  // A UTF-16 unit has at least one byte, so the cheap comparison of lengths comes first.
  return content.length < bytes && Buffer.byteLength(content) < bytes;
}

/** Detects UTF-16 by the content type or the first bytes. It must be decoded, as secrets are recognised in text, not in bytes. */
function wideCharset(bytes: Uint8Array, contentType: string): string | undefined {
  const named = /charset\s{0,5}=\s{0,5}"?utf-?16(be)?/i.exec(contentType);
  if (named !== null) return named[1] === undefined ? 'utf-16le' : 'utf-16be';
  const [first, second, third, fourth] = bytes;
  if (
    (first === 0xff && second === 0xfe) ||
    (second === 0 && fourth === 0 && isAscii(first) && isAscii(third))
  )
    return 'utf-16le';
  if (
    (first === 0xfe && second === 0xff) ||
    (first === 0 && third === 0 && isAscii(second) && isAscii(fourth))
  )
    return 'utf-16be';
  return undefined;
}

function isAscii(byte: number | undefined): boolean {
  return byte !== undefined && byte < 127 && (byte > 31 || byte === 9 || byte === 10 || byte === 13);
}

function isHtml(contentType: string): boolean {
  return /^text\/html\b/i.test(contentType);
}

function redactBody(text: string, contentType: string, redactor: Redactor): string {
  if (text === '') return text;
  if (/json/i.test(contentType) || /^\s*[[{]/.test(text)) return redactor.json(text);
  if (/x-www-form-urlencoded/i.test(contentType)) return redactor.query(text);
  if (/multipart/i.test(contentType))
    return redactor.multipart(text, parseMediaType(contentType)?.parameters.get('boundary'));
  return redactor.text(text);
}
