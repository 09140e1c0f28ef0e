import { safely } from '#core/coded-error';
import type { HttpRequest } from '#core/http';

/** A part of a multipart body: a file's name, type and size, or a field's name and size. */
export interface BodyPart {
  /** Empty if the part has none. */
  readonly name: string;
  /** The last segment of the file name sent by the client; empty if no file was chosen; absent for fields. */
  readonly filename?: string;
  readonly type?: string;
  readonly bytes: number;
  /** The body ended, or reading stopped, before the end of the part. */
  readonly isCut?: true;
}

/** A record's `multipart` section. */
export interface MultipartSection {
  readonly parts: readonly BodyPart[];
  /** Number of parts omitted. */
  readonly more: number;
}

const maxParts = 100;
const maxHead = 8192;
const maxName = 300;
const lineEnd = '\r\n';

/**
 * Reads the names and sizes of multipart parts (RFC 2046 section 5.1) as the bytes pass through; keeps no
 * content.
 */
export class BodyParts {
  readonly #boundary: Buffer;
  #parts: (BodyPart & { bytes: number; isCut?: true })[] = [];
  #more = 0;
  #current: { bytes: number; isCut?: true } | undefined;
  /** True within a part's headers; false within its content, or before the first part. */
  #isInHead = false;
  /** True after the last boundary, or once the parts can no longer be distinguished. */
  #isOver = false;
  /** Bytes that the next chunk may complete. Starts with a line end, so that a boundary can open the body. */
  #rest: Buffer = Buffer.from(lineEnd);

  /** Returns a reader for a request body; null if the body is not multipart or names no boundary. */
  static of(request: HttpRequest): BodyParts | null {
    const type = safely(() => request.mediaType, undefined);
    const boundary =
      type?.essence.startsWith('multipart/') === true ? type.parameters.get('boundary') : undefined;
    return boundary === undefined || boundary === '' || boundary.length > 200
      ? null
      : new BodyParts(boundary);
  }

  constructor(boundary: string) {
    this.#boundary = Buffer.from(`${lineEnd}--${boundary}`, 'latin1');
  }

  add(chunk: Uint8Array | string): void {
    if (this.#isOver) return;
    const added = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    let bytes = Buffer.concat([this.#rest, added]);
    let used: number | undefined = 0;
    while (used !== undefined) {
      bytes = bytes.subarray(used);
      used = this.#isInHead ? this.#readHead(bytes) : this.#readContent(bytes);
    }
    this.#rest = Buffer.from(bytes); // copied, because it may be a small slice from a large buffer
  }

  /** Returns the section; undefined if there were no parts. */
  section(): MultipartSection | undefined {
    if (this.#parts.length === 0) return undefined;
    // Clamped because a trailing partial boundary does not count yet.
    return {
      parts: this.#parts.map((part) => ({ ...part, bytes: Math.max(0, part.bytes) })),
      more: this.#more,
    };
  }

  /** Returns the number of bytes up to the end of the boundary; undefined if more input is needed. */
  #readContent(bytes: Buffer): number | undefined {
    const at = bytes.indexOf(this.#boundary);
    if (at === -1) {
      const settled = Math.max(0, bytes.length - this.#boundary.length + 1);
      if (settled === 0) return undefined;
      this.#count(settled);
      return settled;
    }
    const end = at + this.#boundary.length;
    if (bytes.length < end + 2) return undefined;
    this.#count(at);
    if (this.#current !== undefined) delete this.#current.isCut;
    this.#current = undefined;
    this.#isOver = bytes.toString('latin1', end, end + 2) === '--';
    this.#isInHead = true;
    return this.#isOver ? undefined : end;
  }

  #count(bytes: number): void {
    if (this.#current !== undefined) this.#current.bytes += bytes;
  }

  #readHead(bytes: Buffer): number | undefined {
    const end = bytes.indexOf(lineEnd + lineEnd);
    if (end === -1 || end > maxHead) {
      this.#isOver = bytes.length > maxHead;
      return undefined;
    }
    // The line end between head and content counts as content, because it may belong to a boundary.
    const part = { ...readHead(bytes.toString('utf8', 0, end)), bytes: -2, isCut: true as const };
    if (this.#parts.length < maxParts) this.#parts.push(part);
    else this.#more++;
    this.#current = part;
    this.#isInHead = false;
    return end + 2;
  }
}

const parameter =
  /;\s{0,9}(name|filename\*?)\s{0,9}=\s{0,9}(?:"((?:[^"\\]|\\.){0,2000})"|([^\s;"]{1,2000}))/gi;

function readHead(head: string): Pick<BodyPart, 'name' | 'filename' | 'type'> {
  const fields = new Map(
    head.split(lineEnd).map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, Math.max(0, colon)).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const values = new Map<string, string>();
  for (const [, name = '', quoted, token = ''] of (fields.get('content-disposition') ?? '').matchAll(
    parameter,
  ))
    values.set(name.toLowerCase(), quoted === undefined ? token : quoted.replaceAll(/\\(["\\])/g, '$1'));
  const filename = extendedValue(values.get('filename*')) ?? values.get('filename');
  const type = fields.get('content-type');
  return {
    name: (values.get('name') ?? '').slice(0, maxName),
    ...(filename === undefined ? {} : { filename: filename.replace(/^.*[\\/]/s, '').slice(0, maxName) }),
    ...(type === undefined ? {} : { type: type.slice(0, maxName) }),
  };
}

/** Decodes `UTF-8''na%C3%AFve.txt` (RFC 8187). */
function extendedValue(text: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']{0,50}'(.*)$/is.exec(text ?? '')?.[1];
  return encoded === undefined ? undefined : safely(() => decodeURIComponent(encoded), undefined);
}
