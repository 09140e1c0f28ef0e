import type { Busboy } from '@fastify/busboy';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { badRequest, payloadTooLarge, httpErrors } from '../failures/error-codes.js';
import type { MediaType } from '../headers/parameters.js';
import type { UploadedFile } from './form-body.js';
import { readNamesAsMeant } from './part-names.js';

/** Receives the parts of a form as they arrive. */
interface PartReader {
  readonly limits: {
    readonly fields: number;
    readonly files: number;
    /** Maximum number of fields and files together. */
    readonly parts?: number;
    readonly fieldSize: number;
    readonly fileSize?: number;
  };
  readonly signal?: AbortSignal;
  field(name: string, value: string): void;
  /** Must read the stream to its end. Returns an error to refuse the file. */
  file(file: Omit<UploadedFile, 'bytes'>, stream: Readable): Error | void;
}

/**
 * Reads a `multipart/form-data` body (RFC 7578) as it arrives; rejects with 400, 413, or the errors of the body and the
 * reader.
 */
export async function readParts(
  body: AsyncIterable<Uint8Array>,
  type: MediaType,
  reader: PartReader,
): Promise<void> {
  const boundary = type.parameters.get('boundary') ?? '';
  if (!/^[0-9A-Za-z'()+_,./:=? -]{1,70}$/.test(boundary)) {
    throw malformedForm('the Content-Type has no boundary, or an invalid one');
  }
  const { limits, signal } = reader;
  const { parts: maxParts = Infinity } = limits;
  const { Busboy: Parser } = await import('@fastify/busboy'); // loaded on first use: most processes never get such a body
  const parser = new Parser({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    limits: { ...limits, parts: Infinity, fieldNameSize: 1000, headerPairs: 20 },
  });
  readNamesAsMeant(parser);
  const counter = new PartCounter(boundary);
  let failure: unknown; // the first failure, which causes the later ones
  const partsOf = takeParts(parser, reader, (error) => {
    failure ??= error;
    parser.destroy(error);
  });
  parser.on('error', (cause) => {
    if (signal?.aborted !== true) failure ??= malformedForm('its parts cannot be separated', cause);
  });
  async function* counted(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body) {
        const used = counter.add(chunk);
        if (counter.parts > maxParts) throw tooMany(maxParts, 'parts');
        // Bytes after the last boundary are read and ignored: some of them would make the parser wait
        // forever.
        if (used > 0) yield chunk.subarray(0, used);
      }
    } catch (error) {
      failure ??= error;
      throw error;
    }
  }
  try {
    await pipeline(counted, parser, signal === undefined ? {} : { signal });
  } catch (error) {
    throw failure ?? error;
  }
  if (partsOf() !== counter.parts) throw malformedForm(unreadablePart);
}

/** Passes the parts on. Returns a function that counts them. */
function takeParts(
  parser: InstanceType<typeof Busboy>,
  reader: PartReader,
  fail: (error: Error) => void,
): () => number {
  const { limits } = reader;
  let parts = 0;
  parser.on('field', (name: string | undefined, value, _nameCut, isCut) => {
    parts++;
    if (name === undefined) fail(malformedForm('a part has no name'));
    else if (isCut) fail(tooMany(limits.fieldSize, bytesOf(name)));
    else reader.field(name, value);
  });
  parser.on('file', (field: string | undefined, stream, name: string | undefined, _encoding, mediaType) => {
    parts++;
    const filename = name ?? '';
    stream.on('error', (cause) => fail(malformedForm('a part is truncated', cause)));
    if (field === undefined) return fail(malformedForm('a part has no name'));
    if (filename.includes('\0')) return fail(malformedForm('a file name contains a NUL character'));
    stream.on('limit', () => {
      const error = tooMany(limits.fileSize ?? Infinity, bytesOf(field));
      fail(error);
      stream.destroy(error); // otherwise the parser would end the file as if it were complete
    });
    const refusal = reader.file({ field, filename, mediaType }, stream);
    if (refusal !== undefined) fail(refusal);
  });
  parser.on('filesLimit', () => fail(tooMany(limits.files, 'files')));
  parser.on('fieldsLimit', () => fail(tooMany(limits.fields, 'fields')));
  return () => parts;
}

const unreadablePart =
  'a part has no valid Content-Disposition, or its boundary is followed by other characters';

export function malformedForm(reason: string, cause?: unknown): Error {
  return badRequest(httpErrors.create('HTTP_FORM_MALFORMED', { reason }, { cause }));
}

export function tooMany(limit: number, what: string): Error {
  return payloadTooLarge(httpErrors.create('HTTP_FORM_TOO_LARGE', { limit, what }));
}

const bytesOf = (field: string): string => `bytes in the field "${field}"`;

/**
 * Counts the parts by their boundary lines (RFC 2046 section 5.1.1), because parsers silently skip parts that they
 * cannot read.
 */
class PartCounter {
  parts = 0;
  readonly #line: Buffer;
  /** Bytes of a possible boundary line that the next chunk continues. The body begins like a new line. */
  #rest: Buffer = Buffer.from('\r\n');
  #isClosed = false;

  constructor(boundary: string) {
    this.#line = Buffer.from(`\r\n--${boundary}`, 'latin1');
  }

  /**
   * Returns how many bytes of the chunk belong to the parts and their boundaries; bytes after the last boundary are
   * ignored.
   */
  add(chunk: Uint8Array): number {
    if (this.#isClosed) return 0;
    const line = this.#line;
    const before = this.#rest.length;
    const bytes = Buffer.concat([this.#rest, chunk]);
    let from = 0;
    for (;;) {
      const at = bytes.indexOf(line, from);
      const end = at + line.length;
      if (at === -1 || end + 2 > bytes.length) {
        this.#rest = bytes.subarray(Math.max(from, at === -1 ? bytes.length - line.length : at));
        return chunk.length;
      }
      this.#isClosed = bytes.toString('latin1', end, end + 2) === '--';
      if (this.#isClosed) return end + 2 - before;
      this.parts++;
      from = end;
    }
  }
}
