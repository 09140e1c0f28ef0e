import type { Redactor } from '#dump';
import { parseMediaType } from '#http';
import { isUtf8 } from 'node:buffer';
import type { RecordedBody } from '../model/recorded-message.js';
import type { WordReader } from './word-reader.js';
import type { WordWriter } from './word-writer.js';
import { MarkupRedactor } from './redact-markup.js';

const code = { none: 0, text: 1, base64: 2 } as const;
/** What is said of a body beside its content, as bits. */
const flag = { cut: 1, unread: 2 } as const;
/** Bytes that are kept of what cannot be read as text. */
const binaryHead = 4096;

/** A body as it is known at the end. */
export interface SeenBody {
  readonly content: Uint8Array | string;
  /** Bytes that were seen in all. */
  readonly bytes: number;
  readonly contentType: string;
  /** The application did not read it. */
  readonly isUnread?: boolean;
}

/** Writes bodies up to a limit, without secrets. A body equal to the one before it costs a comparison. */
export class BodyWriter {
  readonly #pack: WordWriter;
  readonly #redactor: Redactor;
  readonly #markup: MarkupRedactor;
  readonly #limit: number;
  #lastRaw = '';
  #lastClean = '';

  constructor(pack: WordWriter, redactor: Redactor, limit: number) {
    this.#pack = pack;
    this.#redactor = redactor;
    this.#markup = MarkupRedactor.of(redactor);
    this.#limit = limit;
  }

  write(body: SeenBody | undefined): void {
    const pack = this.#pack;
    if (body === undefined || (body.bytes === 0 && body.content.length === 0)) return pack.number(code.none);
    const { content, bytes, contentType, isUnread = false } = body;
    const mark = isUnread ? flag.unread : 0;
    const text = typeof content === 'string' ? content : this.#asText(content, contentType);
    if (text === undefined) {
      const head = (content as Uint8Array).subarray(0, Math.min(binaryHead, this.#limit)); // a string is text
      // An uploaded file may have a password beside it: what is readable in the bytes is cleaned, the others stay.
      const clean = redactBody(Buffer.from(head).toString('latin1'), contentType, this.#redactor);
      pack.number(code.base64);
      pack.number(mark + (head.length < bytes ? flag.cut : 0));
      pack.string(Buffer.from(clean, 'latin1').toString('base64'));
    } else {
      const head = text.length > this.#limit ? text.slice(0, this.#limit) : text;
      pack.number(code.text);
      const isCut = head.length < text.length || cutBefore(content, bytes, this.#limit);
      pack.number(mark + (isCut ? flag.cut : 0));
      this.#writeText(head, contentType);
    }
    pack.number(bytes);
    pack.word(contentType.slice(0, 300));
  }

  #writeText(text: string, contentType: string): void {
    if (text === this.#lastRaw) return this.#pack.word(this.#lastClean);
    const clean = isHtml(contentType)
      ? this.#markup.text(text)
      : redactBody(text, contentType, this.#redactor);
    this.#lastRaw = text;
    this.#lastClean = clean;
    // Written out the first time: only what comes again is worth a word.
    this.#pack.number(1);
    this.#pack.string(clean);
  }

  #asText(content: Uint8Array, contentType: string): string | undefined {
    const head = content.length > this.#limit ? content.subarray(0, this.#limit) : content;
    const wide = wideCharset(head, contentType);
    if (wide !== undefined) return new TextDecoder(wide).decode(head);
    for (let cut = 0; cut < 4; cut++) {
      // A character may be cut through at the end of a head.
      const whole = head.subarray(0, head.length - cut);
      if (!isUtf8(whole)) continue;
      const text = Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString('utf8');
      return text.includes('\0') ? undefined : text;
    }
    return undefined;
  }
}

function cutBefore(content: Uint8Array | string, bytes: number, limit: number): boolean {
  if (typeof content !== 'string') return content.byteLength < bytes || content.byteLength > limit;
  // Every character has a byte at least, three at most where it is one unit long.
  return content.length < bytes && Buffer.byteLength(content) < bytes;
}

export function readBody(pack: WordReader): RecordedBody | null {
  const form = pack.number();
  if (form === code.none) return null;
  const flags = pack.number();
  const cut = (flags & flag.cut) !== 0;
  const content = form === code.text ? (pack.word() ?? '') : pack.string();
  const bytes = pack.number();
  const contentType = pack.word() ?? '';
  const encoding = form === code.text ? 'text' : 'base64';
  return {
    encoding,
    content,
    contentType,
    bytes,
    cut,
    ...((flags & flag.unread) === 0 ? {} : { isUnread: true }),
  };
}

/** UTF-16 where the type or the first bytes say so: secrets are found in characters, not in bytes. */
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
