import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Busboy } from '@fastify/busboy';
import { badRequest, payloadTooLarge, unsupportedMediaType, httpErrors } from '../failures/error-codes.js';
import type { MediaType } from '../headers/parameters.js';
import type { RequestLimits } from '../source/request-source.js';
import { FormBody, type UploadedFile } from './form-body.js';

type Entry = readonly [name: string, value: string | UploadedFile];

/** Parses an `application/x-www-form-urlencoded` body (URL standard section 5.1), in which a bare `%` is a character. Throws 400 for bytes that are no UTF-8. */
function parseUrlencodedForm(text: string, limits: RequestLimits): FormBody {
  const entries: Entry[] = [];
  for (const pair of text === '' ? [] : text.split('&', limits.formFields + 1)) {
    if (pair === '') continue;
    if (entries.length >= limits.formFields) throw tooManyParts(limits.formFields, 'fields');
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    entries.push([decodeComponent(name), equals === -1 ? '' : decodeComponent(pair.slice(equals + 1))]);
  }
  return new FormBody(entries, limits.formDepth);
}

function decodeComponent(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' ').replaceAll(/%(?![0-9A-Fa-f]{2})/g, '%25'));
  } catch (cause) {
    throw malformedForm('a percent-encoding is no UTF-8', cause);
  }
}

/** Bytes parsed in one event-loop tick. */
const sliceBytes = 16_384;

/**
 * Parses a `multipart/form-data` body (RFC 7578) that is in memory. Parsing stops at the first error or exceeded limit;
 * the rest of the body is ignored.
 */
async function parseMultipartForm(
  bytes: Uint8Array,
  type: MediaType,
  limits: RequestLimits,
): Promise<FormBody> {
  const boundary = type.parameters.get('boundary') ?? '';
  if (!/^[0-9A-Za-z'()+_,./:=? -]{1,70}$/.test(boundary)) {
    throw malformedForm('the Content-Type names no boundary, or one that cannot be');
  }
  const counter = new PartCounter(boundary);
  const reading = await readParts(boundary, limits);
  for (let at = 0; at < bytes.byteLength && !reading.hasEnded(); at += sliceBytes) {
    if (at > 0) await yieldToEventLoop();
    const slice = bytes.subarray(at, at + sliceBytes);
    counter.add(slice);
    if (counter.parts > limits.formFields) throw tooManyParts(limits.formFields, 'parts');
    reading.parser.write(slice);
  }
  if (!reading.hasEnded()) reading.parser.end();
  const entries = await reading.entries;
  if (reading.parts() !== counter.parts) throw malformedForm(unreadablePart);
  return new FormBody(entries, limits.formDepth);
}

const unreadablePart = 'a part has no readable Content-Disposition, or something follows its boundary';

interface PartReading {
  readonly parser: InstanceType<typeof Busboy>;
  readonly entries: Promise<Entry[]>;
  hasEnded(): boolean;
  /** Number of parts that were read, empty file fields included. */
  parts(): number;
}

async function readParts(boundary: string, limits: RequestLimits): Promise<PartReading> {
  const { Busboy: Parser } = await import('@fastify/busboy'); // loaded on first use: most processes never get such a body
  const parser = new Parser({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    limits: {
      fields: limits.formFields,
      files: limits.files,
      parts: limits.formFields,
      fieldSize: limits.body,
      fieldNameSize: 1000,
      headerPairs: 20,
    },
  });
  let hasEnded = false;
  let parts = 0;
  const places: (Entry | undefined)[] = [];
  let fail: (error: Error) => void = () => undefined;
  const entries = new Promise<Entry[]>((resolve, reject) => {
    fail = (error) => {
      hasEnded = true;
      reject(error);
      parser.destroy();
    };
    parser.on('finish', () => resolve(places.filter((entry) => entry !== undefined)));
  });
  entries.catch(() => undefined); // the caller handles the rejection when it awaits the entries
  const take = (name: string | undefined, filename = ''): void => {
    parts++;
    if (name === undefined) fail(malformedForm('a part has no name'));
    if (filename.includes('\0')) fail(malformedForm('the name of a file contains NUL'));
  };
  parser.on('field', (name: string | undefined, value) => {
    take(name);
    places.push([name ?? '', value]);
  });
  parser.on('file', (field, stream, filename, _encoding, mediaType) => {
    take(field, filename);
    const chunks: Uint8Array[] = [];
    const place = places.push(undefined) - 1; // reserves the position: a file may end after the fields that follow it
    stream.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    stream.on('error', (cause) => fail(malformedForm('a part is cut off', cause)));
    stream.on('end', () => {
      const file = { field, filename: filename ?? '', mediaType, bytes: Buffer.concat(chunks) };
      if (file.filename !== '' || file.bytes.length > 0) places[place] = [field, file]; // browsers send an empty file field as an empty file without a name
    });
  });
  parser.on('partsLimit', () => fail(tooManyParts(limits.formFields, 'parts')));
  parser.on('fieldsLimit', () => fail(tooManyParts(limits.formFields, 'fields')));
  parser.on('filesLimit', () => fail(tooManyParts(limits.files, 'files')));
  parser.on('error', (cause) => fail(malformedForm('its parts cannot be told apart', cause)));
  return { parser, entries, hasEnded: () => hasEnded, parts: () => parts };
}

function malformedForm(reason: string, cause?: unknown): Error {
  return badRequest(httpErrors.create('HTTP_FORM_MALFORMED', { reason }, { cause }));
}

function tooManyParts(limit: number, what: string): Error {
  return payloadTooLarge(httpErrors.create('HTTP_FORM_TOO_LARGE', { limit, what }));
}

interface Readable {
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
}

/** Parses a form body by its media type. Throws 415 if the type is not a form's. */
export async function parseFormOf(
  body: Readable,
  type: MediaType | undefined,
  limits: RequestLimits,
): Promise<FormBody> {
  if (type?.essence === 'application/x-www-form-urlencoded') {
    return parseUrlencodedForm(await body.text(), limits);
  }
  if (type?.essence === 'multipart/form-data') return parseMultipartForm(await body.bytes(), type, limits);
  throw unsupportedMediaType(
    httpErrors.create('HTTP_MEDIA_TYPE_UNSUPPORTED', {
      given: type?.essence ?? 'none',
      expected: 'application/x-www-form-urlencoded or multipart/form-data',
    }),
  );
}

/**
 * Counts the parts of a `multipart` body by its boundary lines (RFC 2046 section 5.1.1), chunk by chunk. Parsers skip a part
 * that they cannot read without an error, so what they give is compared with this count.
 */
export class PartCounter {
  /** Parts that have begun. */
  parts = 0;
  readonly #line: Buffer;
  /** Bytes that may belong to a boundary line which the next chunk continues. The body begins like a new line. */
  #rest: Buffer = Buffer.from('\r\n');
  #isClosed = false;

  constructor(boundary: string) {
    this.#line = Buffer.from(`\r\n--${boundary}`, 'latin1');
  }

  add(chunk: Uint8Array): void {
    if (this.#isClosed) return; // an epilogue is ignored
    const line = this.#line;
    const bytes = Buffer.concat([this.#rest, chunk]);
    let from = 0;
    for (;;) {
      const at = bytes.indexOf(line, from);
      const end = at + line.length;
      if (at === -1 || end + 2 > bytes.length) {
        this.#rest = bytes.subarray(Math.max(from, at === -1 ? bytes.length - line.length : at));
        return;
      }
      this.#isClosed = bytes.toString('latin1', end, end + 2) === '--';
      if (this.#isClosed) return;
      this.parts++;
      from = end;
    }
  }
}
