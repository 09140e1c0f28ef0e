import type { Busboy } from '@fastify/busboy';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { badRequest, payloadTooLarge, unsupportedMediaType } from '../failures/bad-request.js';
import { httpErrors } from '../failures/error-codes.js';
import { FormBody, type UploadedFile } from './form-body.js';
import type { MediaType } from '../headers/media-type.js';
import type { RequestLimits } from '../source/request-limits.js';

type Entry = readonly [name: string, value: string | UploadedFile];

/** Parses an `application/x-www-form-urlencoded` body (URL standard section 5.1). Throws 400 if the percent-encoding is broken. */
export function parseUrlencodedForm(text: string, limits: RequestLimits): FormBody {
  const entries: Entry[] = [];
  for (const pair of text === '' ? [] : text.split('&', limits.formFields + 1)) {
    if (pair === '') continue;
    if (entries.length >= limits.formFields) throw tooMany(limits.formFields, 'fields');
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    entries.push([decodeComponent(name), equals === -1 ? '' : decodeComponent(pair.slice(equals + 1))]);
  }
  return new FormBody(entries, limits.formDepth);
}

function decodeComponent(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw malformed('a percent-encoding is broken or no UTF-8', cause);
  }
}

/** Bytes parsed in one event-loop tick. */
const sliceBytes = 16_384;

/**
 * Parses a `multipart/form-data` body (RFC 7578) that is in memory. Parsing stops at the first error or exceeded limit;
 * the rest of the body is ignored.
 */
export async function parseMultipartForm(
  bytes: Uint8Array,
  type: MediaType,
  limits: RequestLimits,
): Promise<FormBody> {
  const boundary = type.parameters.get('boundary') ?? '';
  if (!/^[0-9A-Za-z'()+_,./:=? -]{1,70}$/.test(boundary)) {
    throw malformed('the Content-Type names no boundary, or one that cannot be');
  }
  if (countUpTo(bytes, `--${boundary}`, limits.formFields + 2) > limits.formFields + 1)
    throw tooMany(limits.formFields, 'parts');
  const reading = await readParts(boundary, limits);
  for (let at = 0; at < bytes.byteLength && !reading.hasEnded(); at += sliceBytes) {
    if (at > 0) await yieldToEventLoop();
    reading.parser.write(bytes.subarray(at, at + sliceBytes));
  }
  if (!reading.hasEnded()) reading.parser.end();
  return new FormBody(await reading.entries, limits.formDepth);
}

/** Counts the lines that begin with the text; stops at `most`. */
function countUpTo(bytes: Uint8Array, text: string, most: number): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const line = Buffer.from(`\r\n${text}`);
  let count = buffer.subarray(0, text.length).toString('latin1') === text ? 1 : 0;
  let at = buffer.indexOf(line);
  while (at !== -1 && count < most) {
    count++;
    at = buffer.indexOf(line, at + line.length);
  }
  return count;
}

interface PartReading {
  readonly parser: InstanceType<typeof Busboy>;
  readonly entries: Promise<Entry[]>;
  hasEnded(): boolean;
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
  parser.on('field', (name, value) => places.push([name ?? '', value]));
  parser.on('file', (field, stream, filename, _encoding, mediaType) => {
    const chunks: Uint8Array[] = [];
    const place = places.push(undefined) - 1; // reserves the position: a file may end after the fields that follow it
    stream.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    stream.on('error', (cause) => fail(malformed('a part is cut off', cause)));
    stream.on('end', () => {
      const file = { field, filename: filename ?? '', mediaType, bytes: Buffer.concat(chunks) };
      if (file.filename !== '' || file.bytes.length > 0) places[place] = [field, file]; // browsers send an empty file field as an empty file without a name
    });
  });
  parser.on('partsLimit', () => fail(tooMany(limits.formFields, 'parts')));
  parser.on('fieldsLimit', () => fail(tooMany(limits.formFields, 'fields')));
  parser.on('filesLimit', () => fail(tooMany(limits.files, 'files')));
  parser.on('error', (cause) => fail(malformed('its parts cannot be told apart', cause)));
  return { parser, entries, hasEnded: () => hasEnded };
}

function malformed(reason: string, cause?: unknown): Error {
  return badRequest(httpErrors.create('HTTP_FORM_MALFORMED', { reason }, { cause }));
}

function tooMany(limit: number, what: string): Error {
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
