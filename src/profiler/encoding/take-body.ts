import type { Redactor } from '#core/dump';
import { isUtf8 } from 'node:buffer';
import type { RecordedBody } from '../model/profile-record.js';

/** Maximum bytes kept from a binary body. */
const binaryHead = 4096;

export interface ObservedBody {
  readonly content: Uint8Array | string;
  /** Total number of bytes seen. */
  readonly bytes: number;
  readonly contentType: string;
  /** The application did not read the body. */
  readonly isUnread?: boolean;
}

export interface TakeBodyOptions {
  readonly redactor: Redactor;
  /** Maximum number of bytes. */
  readonly limit: number;
  /** See `ProfilerOptions.bodyTypes`. */
  readonly bodyTypes?: readonly string[] | undefined;
}

/**
 * Returns the beginning of a body without secrets. Content is only kept for JSON, forms, plain text and `bodyTypes`.
 */
export function takeBody(
  { content, bytes, ...body }: ObservedBody,
  { redactor, limit, bodyTypes = [] }: TakeBodyOptions,
): RecordedBody | null {
  if (bytes === 0 && content.length === 0) return null;
  const contentType = body.contentType.slice(0, 300);
  const taken = { contentType, bytes, ...(body.isUnread === true ? { isUnread: true as const } : {}) };
  const isAsked = isListed(contentType, bodyTypes);
  if (isAsked || isReadable(contentType)) {
    const text = typeof content === 'string' ? content : asText(content, { contentType, limit });
    const head = text !== undefined && text.length > limit ? text.slice(0, limit) : text;
    if (head !== undefined && (isAsked || !markup.test(head))) {
      const cut = head.length < (text?.length ?? 0) || cutBefore(content, bytes, limit);
      return { ...taken, encoding: 'text', content: redactBody(head, contentType, redactor), cut };
    }
    if (head === undefined && isAsked && typeof content !== 'string') {
      const kept = content.subarray(0, Math.min(binaryHead, limit));
      // Secrets in readable parts of the bytes are redacted.
      const clean = Buffer.from(redactor.text(Buffer.from(kept).toString('latin1')), 'latin1');
      return { ...taken, encoding: 'base64', content: clean.toString('base64'), cut: kept.length < bytes };
    }
  }
  return { ...taken, encoding: 'text', content: '', cut: true };
}

/** Detects HTML, XML and multipart bodies by their beginning, regardless of their declared type. */
const markup = /^[\s\uFEFF]{0,100}(?:<[a-z!?]|--(?!-?\r?\n)\S{1,200}\r?\ncontent-)/i;

export function isRecordedType(contentType: string, bodyTypes: readonly string[] = []): boolean {
  return isReadable(contentType) || isListed(contentType, bodyTypes);
}

/**
 * Cached results of `isReadable`, which the main thread calls with the same few types: without them, recording takes 5
 * % longer.
 */
const readableTypes = new Map<string, boolean>();

/** Returns whether a body with this type is JSON, a form or plain text. */
function isReadable(contentType: string): boolean {
  let found = readableTypes.get(contentType);
  if (found !== undefined) return found;
  found = isReadableEssence(essenceOf(contentType));
  // Clients choose types too, so the cache is bounded.
  if (readableTypes.size < 100 && contentType.length < 200) readableTypes.set(contentType, found);
  return found;
}

function isReadableEssence(type: string): boolean {
  if (type === '' || type.includes('json') || type === 'application/x-www-form-urlencoded') return true;
  return /^text\/(?!.*(?:html|x[ms]l))|graphql|yaml|toml|javascript/.test(type);
}

function isListed(contentType: string, bodyTypes: readonly string[]): boolean {
  const type = essenceOf(contentType);
  return bodyTypes.some((one) =>
    one.endsWith('/*') ? type.startsWith(one.slice(0, -1)) : type === one.toLowerCase(),
  );
}

function essenceOf(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

function asText(
  content: Uint8Array,
  { contentType, limit }: { readonly contentType: string; readonly limit: number },
): string | undefined {
  const head = content.length > limit ? content.subarray(0, limit) : content;
  const wide = wideCharset(head, contentType);
  if (wide !== undefined) return new TextDecoder(wide).decode(head);
  for (let cut = 0; cut === 0 || cut < Math.min(4, head.length); cut++) {
    // The last UTF-8 character may have been split.
    const whole = head.subarray(0, head.length - cut);
    if (!isUtf8(whole)) continue;
    const text = Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString('utf8');
    return text.includes('\0') ? undefined : text;
  }
  return undefined;
}

function cutBefore(content: Uint8Array | string, bytes: number, limit: number): boolean {
  if (typeof content !== 'string') return content.byteLength < bytes || content.byteLength > limit;
  // A UTF-16 unit has at least one byte, so the cheap length comparison comes first.
  return content.length < bytes && Buffer.byteLength(content) < bytes;
}

/**
 * Detects UTF-16 by content type or first bytes. It must be decoded, because secrets are recognised in text, not in
 * bytes.
 */
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

function redactBody(text: string, contentType: string, redactor: Redactor): string {
  if (text === '') return text;
  const type = essenceOf(contentType);
  if (type.includes('json') || /^\s*[[{]/.test(text)) return redactor.json(text);
  return type.endsWith('x-www-form-urlencoded') ? redactor.query(text) : redactor.text(text);
}
