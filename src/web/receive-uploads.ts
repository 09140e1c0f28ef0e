import { randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isCodedError } from '#coded-error';
import { type StandardSchema, validateValue } from '#controller';
import {
  badRequest,
  failureError,
  FormBody,
  type HttpRequest,
  PartCounter,
  payloadTooLarge,
  unsupportedMediaType,
} from '#http';
import { mediaRangeSpecificity } from '#negotiation';
import { webErrors } from './web-extension.js';

/** A file of a form while it arrives. */
export interface IncomingFile {
  /** Name of the form field. */
  readonly field: string;
  /** Name as sent by the client, without folders. Only for display; never use it as a path. */
  readonly filename: string;
  /** Media type as claimed by the client. */
  readonly mediaType: string;
  /** The bytes as they arrive. Fails with 413 above the limit, and if the client disconnects. */
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

/** A completely received file. */
export interface ReceivedFile {
  readonly field: string;
  readonly filename: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** Path of the written file; undefined if a function received the file. */
  readonly path: string | undefined;
  /** Return value of the function. */
  readonly result: unknown;
}

/** The received form. All files are completely written. */
export interface ReceivedUploads<Output = unknown> {
  /** In the order of the form. */
  readonly files: readonly ReceivedFile[];
  /** The fields other than files, in the order of the form. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** The output of the schema; undefined if there is none. */
  readonly data: Output;
  /** Removes the written files. */
  discard(): Promise<void>;
}

/**
 * Writes the files of a `multipart/form-data` body as they arrive, to disk or to a function, without holding them in
 * memory; the client sends only as fast as they are written. `limits.body` does not apply; the limit is `maxFiles` times
 * `maxFileBytes`. Throws 415, 400 or 413 with a coded error, and 422 if the schema refuses the fields. In these cases, and
 * if the client disconnects, all written files are removed.
 */
export async function receiveUploads<Output = undefined>(
  request: HttpRequest,
  options: UploadOptions<Output>,
): Promise<ReceivedUploads<Output>> {
  const reading = new UploadReading(options);
  try {
    await reading.read(request);
    const { fields } = reading;
    const files = await reading.files();
    const data = await checkFields(fields, request, options.schema);
    return { files, fields, data, discard: () => reading.discard() };
  } catch (error) {
    await reading.settle();
    await reading.discard();
    throw reading.failure ?? asError(error);
  }
}

async function checkFields<Output>(
  fields: ReceivedUploads['fields'],
  { limits }: HttpRequest,
  schema: StandardSchema<Output> | undefined,
): Promise<Output> {
  if (schema === undefined) return undefined as Output; // as `receiveUploads` declares without a schema
  try {
    return await validateValue(schema, new FormBody(fields, limits.formDepth).toRecord());
  } catch (error) {
    throw isCodedError(error) ? failureError(error) : error;
  }
}

const boundaryForm = /^[0-9A-Za-z'()+_,./:=? -]{1,70}$/;
const mebibyte = 1_048_576;
/** Fields other than files of one form, and the bytes of each. */
const maxFields = 100;
const maxFieldBytes = 65_536;

class UploadReading {
  readonly fields: (readonly [string, string])[] = [];
  /** The first error. */
  failure: Error | undefined;
  readonly #options: UploadOptions;
  readonly #taken: Promise<ReceivedFile | undefined>[] = [];
  readonly #paths: string[] = [];
  /** Number of parts that the parser has given. */
  #parts = 0;
  readonly #stop = new AbortController();

  constructor(options: UploadOptions) {
    this.#options = options;
  }

  async read(request: HttpRequest): Promise<void> {
    const boundary = boundaryOf(request);
    const { to, maxFileBytes = 10 * mebibyte, maxFiles = 10 } = this.#options;
    if (typeof to === 'string') await mkdir(to, { recursive: true });
    const { Busboy } = await import('@fastify/busboy'); // loaded with the first upload
    const parser = new Busboy({
      headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
      limits: {
        files: maxFiles,
        fileSize: maxFileBytes,
        fields: maxFields,
        fieldSize: maxFieldBytes,
        fieldNameSize: 1000,
        headerPairs: 20,
      },
    });
    parser.on('field', (name: string | undefined, value, _nameCut, isCut) => {
      this.#parts++;
      if (name === undefined) return this.#fail(malformedUpload(new Error('A part has no name.')));
      if (isCut) this.#fail(uploadTooLarge(name, maxFieldBytes));
      this.fields.push([name, value]);
    });
    parser.on('file', (field: string | undefined, stream, filename, _encoding, mediaType) => {
      this.#parts++;
      stream.on('error', (cause) => this.#fail(malformedUpload(cause)));
      if (field === undefined || filename?.includes('\0') === true) {
        stream.resume();
        return this.#fail(
          malformedUpload(new Error('A part has no name, or the name of its file contains NUL.')),
        );
      }
      stream.on('limit', () => this.#fail(uploadTooLarge(field, maxFileBytes)));
      this.#take({ field, filename: baseName(filename ?? ''), mediaType, stream }, stream);
    });
    parser.on('filesLimit', () => this.#fail(tooManyUploads(maxFiles, 'files')));
    parser.on('fieldsLimit', () => this.#fail(tooManyUploads(maxFields, 'fields')));
    const maxBytes = maxFiles * maxFileBytes + maxFields * maxFieldBytes + mebibyte;
    parser.on('error', (cause) => this.#fail(malformedUpload(cause)));
    const counter = new PartCounter(boundary);
    const body = this.#chunks(request.openBody({ maxBytes }), counter);
    await pipeline(Readable.from(body), parser, { signal: this.#stop.signal });
    if (this.failure === undefined && this.#parts !== counter.parts)
      this.#fail(
        malformedUpload(
          new Error('A part has no readable Content-Disposition, or something follows its boundary.'),
        ),
      );
  }

  /** Passes the chunks on. An error here is one of the connection or a limit, not a malformed form. */
  async *#chunks(body: ReadableStream<Uint8Array>, counter: PartCounter): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body) {
        counter.add(chunk);
        yield chunk;
      }
    } catch (error) {
      this.failure ??= asError(error);
      throw error;
    }
  }

  /** Waits for all files. Throws the first error. */
  async files(): Promise<ReceivedFile[]> {
    const files = await Promise.all(this.#taken);
    if (this.failure !== undefined) throw this.failure;
    return files.filter((file) => file !== undefined);
  }

  /** Waits until all writes have ended. */
  async settle(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#taken);
  }

  async discard(): Promise<void> {
    await Promise.all(this.#paths.splice(0).map((path) => rm(path, { force: true })));
  }

  #fail(failure: Error): void {
    this.failure ??= failure;
    this.#stop.abort();
  }

  #take(file: IncomingFile, stream: Readable): void {
    const { types } = this.#options;
    if (types?.some((type) => mediaRangeSpecificity(type, file.mediaType.toLowerCase()) > 0) === false) {
      this.#fail(wrongType(file, types));
      stream.resume();
      return;
    }
    const taken = this.#write(file, stream);
    taken.catch((error: unknown) => this.#fail(asError(error)));
    this.#taken.push(taken);
  }

  async #write(file: IncomingFile, stream: Readable): Promise<ReceivedFile | undefined> {
    const { field, filename, mediaType } = file;
    const { to } = this.#options;
    const { signal } = this.#stop;
    let bytes = 0;
    const parts = stream as AsyncIterable<Uint8Array>; // the parser emits bytes
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of parts) {
        signal.throwIfAborted();
        bytes += chunk.byteLength;
        yield chunk;
      }
      signal.throwIfAborted(); // the parser ends a truncated file like a complete one
    };
    const stop = (): void => void stream.destroy();
    signal.addEventListener('abort', stop, { once: true });
    try {
      if (typeof to !== 'string') {
        const result = await to({ ...file, stream: counted() });
        stream.resume();
        return { field, filename, mediaType, bytes, path: undefined, result };
      }
      const path = join(to, randomUUID());
      this.#paths.push(path);
      // Opened before the signal is used: otherwise the file might be created after its removal.
      const handle = await open(path, 'wx', 0o600);
      await pipeline(counted(), handle.createWriteStream(), { signal });
      // Browsers send an empty file field as an empty file without a name.
      if (filename !== '' || bytes > 0) return { field, filename, mediaType, bytes, path, result: undefined };
      await rm(path, { force: true });
      return undefined;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}

function boundaryOf({ mediaType, headers }: HttpRequest): string {
  const coding = headers.get('content-encoding') ?? 'identity';
  const boundary = mediaType?.parameters.get('boundary') ?? '';
  if (mediaType?.essence === 'multipart/form-data' && boundaryForm.test(boundary) && coding === 'identity')
    return boundary;
  throw unsupportedMediaType(webErrors.create('WEB_UPLOAD_TYPE', {}));
}

/** Returns the part after the last slash or backslash. */
function baseName(filename: string): string {
  return filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1);
}

function wrongType({ field, mediaType }: IncomingFile, types: readonly string[]): Error {
  const facts = { field, given: mediaType.slice(0, 100), expected: types.join(', ') };
  return unsupportedMediaType(webErrors.create('WEB_UPLOAD_FILE_TYPE', facts));
}

function uploadTooLarge(field: string, limit: number): Error {
  return payloadTooLarge(webErrors.create('WEB_UPLOAD_TOO_LARGE', { field, limit }));
}

function tooManyUploads(limit: number, what: string): Error {
  return payloadTooLarge(webErrors.create('WEB_UPLOAD_TOO_MANY', { limit, what }));
}

function malformedUpload(error: unknown): Error {
  return badRequest(webErrors.create('WEB_UPLOAD_MALFORMED', {}, { cause: error }));
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('The upload failed.', { cause: error });
}
