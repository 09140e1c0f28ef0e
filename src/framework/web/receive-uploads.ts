import { randomUUID } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isCodedError } from '#core/coded-error';
import {
  bytes,
  callable,
  checkOptions,
  either,
  listOf,
  optionsSchema,
  type OptionsSchema,
  optionType,
  required,
  text,
  whole,
} from '#core/options';
import { type StandardSchema, validateValue } from '#framework/controller';
import { failureError, FormBody, type HttpRequest, readParts, unsupportedMediaType } from '#core/http';
import { findData } from '#core/dump';
import { HttpError, isError, isHttpError } from '#core/errors';
import { mediaRangeSpecificity } from '#core/negotiation';
import { webErrors } from './web-extension.js';

/** A form's file while it arrives. */
export interface IncomingFile {
  readonly field: string;
  /** Name as sent by the client, without folders. Only for display; never use it as a path. */
  readonly filename: string;
  /** Media type as claimed by the client. */
  readonly mediaType: string;
  /**
   * The bytes as they arrive. Fails with 413 above the limit, and if the client disconnects. The receiver may stop
   * reading: the rest of the file is then received and dropped.
   */
  readonly stream: AsyncIterable<Uint8Array>;
}

export interface UploadOptions<Output = unknown> {
  /** A folder to which files are written under random names, or a function that receives each file as it arrives. */
  readonly to: string | ((file: IncomingFile) => unknown);
  /** Maximum bytes of one file. Default 10 MiB. */
  readonly maxFileBytes?: number;
  /** Default 10. */
  readonly maxFiles?: number;
  /** Accepted media types, as claimed by clients; ranges such as `image/*` are allowed. Default: any. */
  readonly types?: readonly string[];
  /** Schema of the fields other than files, as a record (`a[b]` nests); its output is `data`. */
  readonly schema?: StandardSchema<Output>;
}

export const uploadSchema: OptionsSchema<UploadOptions> = optionsSchema<UploadOptions>({
  to: required(either(text, callable())),
  maxFileBytes: bytes(),
  maxFiles: whole({ min: 0 }),
  types: listOf(text),
  schema: optionType('a Standard Schema', isSchema),
});

/** Whether a value is a schema: ArkType's are functions. */
function isSchema(value: unknown): boolean {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') && '~standard' in value
  );
}

/** A completely received file. */
export interface ReceivedFile extends Omit<IncomingFile, 'stream'> {
  readonly bytes: number;
  /** Path to the written file; undefined if a function received the file. */
  readonly path: string | undefined;
  /** Return value of the function. */
  readonly result: unknown;
}

/** The received form. All files are completely written. */
export interface ReceivedUploads<Output = unknown> {
  /** In form order. */
  readonly files: readonly ReceivedFile[];
  /** The fields other than files, in form order. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** The schema's output; undefined if there is none. */
  readonly data: Output;
  /** Removes the written files. */
  discard(): Promise<void>;
}

/**
 * Writes the files of a `multipart/form-data` body as they arrive, to disk or to a function, without holding them in
 * memory; the client sends only as fast as they are written. `limits.body` does not apply; the limit is `maxFiles`
 * times `maxFileBytes`. Throws 415, 400 or 413 with a coded error, 422 if the schema refuses the fields, 500 for a
 * receiver's errors, and 507 if the disk is full. In these cases, and if the client disconnects, all written files are
 * removed.
 */
export async function receiveUploads<Output = undefined>(
  request: HttpRequest,
  options: UploadOptions<Output>,
): Promise<ReceivedUploads<Output>> {
  checkOptions('receiveUploads()', options, uploadSchema);
  const reading: Reading = {
    fields: [],
    taken: [],
    paths: [],
    failure: undefined,
    isRefused: false,
    stop: new AbortController(),
  };
  const { fields, taken, paths } = reading;
  setMaxListeners(0, reading.stop.signal); // each file listens to it; their number has a limit
  const discard = async (): Promise<void> => {
    await Promise.all(paths.splice(0).map((path) => rm(path, { force: true })));
  };
  try {
    await readForm(request, options, reading);
    const files = (await Promise.all(taken)).filter((file) => file !== undefined);
    return { files, fields, data: await checkFields(fields, request, options.schema), discard };
  } catch (error) {
    const failure = fail(reading, error);
    await Promise.allSettled(taken);
    await discard();
    throw isHttpError(failure) || !isFull(failure)
      ? failure
      : new HttpError(507, diskFull, { cause: failure });
  }
}

/**
 * Ends the reading. Returns the first error: the client's, a receiver's or the disk's. Others are consequences of it.
 */
function fail(reading: Reading, error: unknown): Error {
  const failure = (reading.failure ??= asError(error));
  reading.stop.abort(failure);
  return failure;
}

const diskFull = 'A file could not be stored: no space is left.';
const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

function isFull(error: Error): boolean {
  const cause = findData(error, 'cause');
  return fullCodes.has(findData(error, 'code')) || (isError(cause) && fullCodes.has(findData(cause, 'code')));
}

async function checkFields<Output>(
  fields: ReceivedUploads['fields'],
  { limits }: HttpRequest,
  schema: StandardSchema<Output> | undefined,
): Promise<Output> {
  if (schema === undefined) return undefined as Output; // as `receiveUploads` declares without a schema
  try {
    return await validateValue(schema, new FormBody(fields, limits.formDepth).toRecord(), 'form');
  } catch (error) {
    throw isCodedError(error) ? failureError(error) : error;
  }
}

const mebibyte = 1_048_576;
/** Maximum number of non-file fields in one form, and the bytes of each. */
const maxFields = 100;
const maxFieldBytes = 65_536;

/** The part of a form that has been read so far. */
interface Reading {
  readonly fields: (readonly [string, string])[];
  readonly taken: Promise<ReceivedFile | undefined>[];
  readonly paths: string[];
  /** The first error, whatever its source. */
  failure: Error | undefined;
  /** Whether the parser has refused a file; if a receiver then fails, this is the cause. */
  isRefused: boolean;
  readonly stop: AbortController;
}

async function readForm(request: HttpRequest, options: UploadOptions, reading: Reading): Promise<void> {
  const { mediaType, headers } = request;
  if (
    mediaType?.essence !== 'multipart/form-data' ||
    (headers.get('content-encoding') ?? 'identity') !== 'identity'
  )
    throw unsupportedMediaType(webErrors.create('WEB_UPLOAD_TYPE', {}));
  const { to, types, maxFileBytes = 10 * mebibyte, maxFiles = 10 } = options;
  if (typeof to === 'string') await mkdir(to, { recursive: true });
  const maxBytes = maxFiles * maxFileBytes + maxFields * maxFieldBytes + mebibyte;
  await readParts(request.openBody({ maxBytes }), mediaType, {
    limits: { files: maxFiles, fileSize: maxFileBytes, fields: maxFields, fieldSize: maxFieldBytes },
    signal: reading.stop.signal,
    field: (name, value) => void reading.fields.push([name, value]),
    file(file, stream) {
      const isExpected = types?.some((type) => mediaRangeSpecificity(type, file.mediaType.toLowerCase()) > 0);
      const refusal = isExpected === false ? wrongType(file, types) : undefined;
      if (refusal !== undefined && file.filename !== '') return refusal;
      const taken = takeFile(file, stream, { to, reading, refusal });
      taken.catch((error: unknown) => {
        if (!reading.isRefused) fail(reading, error);
      });
      reading.taken.push(taken);
      return undefined;
    },
  });
}

async function takeFile(
  { field, filename, mediaType }: Omit<IncomingFile, 'stream'>,
  stream: Readable,
  { to, reading, refusal }: Pick<UploadOptions, 'to'> & { reading: Reading; refusal: Error | undefined },
): Promise<ReceivedFile | undefined> {
  const { signal } = reading.stop;
  if (filename === '' && (await isEmpty(stream, signal))) {
    stream.resume();
    return undefined;
  }
  if (refusal !== undefined) throw refusal;
  const { received, wholeFile } = separate(stream, reading);
  wholeFile.catch(() => undefined); // awaited below, unless the receiver fails first
  try {
    if (typeof to !== 'string') {
      const result = await to({ field, filename, mediaType, stream: received });
      received.destroy(); // a receiver that stopped reading
      return { field, filename, mediaType, bytes: await wholeFile, path: undefined, result };
    }
    const path = join(to, randomUUID());
    reading.paths.push(path);
    // Opened before the signal is used: otherwise the file might be created after its removal.
    const handle = await open(path, 'wx', 0o600);
    await pipeline(received, handle.createWriteStream(), { signal });
    return { field, filename, mediaType, bytes: await wholeFile, path, result: undefined };
  } finally {
    received.destroy();
  }
}

/**
 * Separates a receiver's stream from the parser's, which must be read to its end: the parser treats a destroyed stream
 * as a truncated file. `wholeFile` resolves at the end of the file with its number of bytes.
 */
function separate(
  stream: Readable,
  reading: Reading,
): { readonly received: Readable; readonly wholeFile: Promise<number> } {
  const { signal } = reading.stop;
  const received = new PassThrough();
  let bytes = 0;
  const wholeFile = new Promise<number>((resolve, reject) => {
    const end = (error: unknown): void => {
      received.destroy(asError(error));
      stream.destroy();
      reject(asError(error));
    };
    const abort = (): void => end(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    stream.once('end', () => resolve(bytes));
    stream.once('error', (error) => {
      reading.isRefused = true;
      end(error);
    });
    stream.once('close', () => {
      signal.removeEventListener('abort', abort);
      resolve(bytes);
    });
    if (signal.aborted) abort();
  });
  received.on('error', () => undefined); // the receiver may have stopped reading earlier
  received.once('close', () => stream.unpipe(received).resume());
  stream.on('data', ({ byteLength }: Uint8Array) => (bytes += byteLength)).pipe(received);
  return { received, wholeFile };
}

/** Whether the stream is empty: browsers send an empty file field as an empty file without a name, of any type. */
async function isEmpty(stream: Readable, signal: AbortSignal): Promise<boolean> {
  if (stream.readableLength === 0) await once(stream, 'readable', { signal }); // also resolves at its end
  return stream.readableLength === 0;
}

function wrongType({ field, mediaType }: Omit<IncomingFile, 'stream'>, types: readonly string[] = []): Error {
  const facts = { field, given: mediaType.slice(0, 100), expected: types.join(', ') };
  return unsupportedMediaType(webErrors.create('WEB_UPLOAD_FILE_TYPE', facts));
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('The upload failed.', { cause: error });
}
