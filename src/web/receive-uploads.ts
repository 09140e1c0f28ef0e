import { randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isCodedError } from '#coded-error';
import { type StandardSchema, validateValue } from '#controller';
import { failureError, FormBody, type HttpRequest, readParts, unsupportedMediaType } from '#http';
import { isHttpError } from '#errors';
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
    const { failure } = reading;
    await reading.settle();
    await reading.discard();
    throw isHttpError(error) ? error : (failure ?? asError(error));
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

const mebibyte = 1_048_576;
/** Fields other than files of one form, and the bytes of each. */
const maxFields = 100;
const maxFieldBytes = 65_536;

class UploadReading {
  readonly fields: (readonly [string, string])[] = [];
  /** The first error of a file's receiver. */
  failure: Error | undefined;
  readonly #options: UploadOptions;
  readonly #taken: Promise<ReceivedFile | undefined>[] = [];
  readonly #paths: string[] = [];
  readonly #stop = new AbortController();

  constructor(options: UploadOptions) {
    this.#options = options;
  }

  async read(request: HttpRequest): Promise<void> {
    const { mediaType, headers } = request;
    if (
      mediaType?.essence !== 'multipart/form-data' ||
      (headers.get('content-encoding') ?? 'identity') !== 'identity'
    )
      throw unsupportedMediaType(webErrors.create('WEB_UPLOAD_TYPE', {}));
    const { to, maxFileBytes = 10 * mebibyte, maxFiles = 10 } = this.#options;
    if (typeof to === 'string') await mkdir(to, { recursive: true });
    const maxBytes = maxFiles * maxFileBytes + maxFields * maxFieldBytes + mebibyte;
    await readParts(request.openBody({ maxBytes }), mediaType, {
      limits: { files: maxFiles, fileSize: maxFileBytes, fields: maxFields, fieldSize: maxFieldBytes },
      signal: this.#stop.signal,
      field: (name, value) => void this.fields.push([name, value]),
      file: (file, stream) => this.#take({ ...file, stream }, stream),
    });
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

  #take(file: IncomingFile, stream: Readable): Error | void {
    const { types } = this.#options;
    if (types?.some((type) => mediaRangeSpecificity(type, file.mediaType.toLowerCase()) > 0) === false)
      return wrongType(file, types);
    const taken = this.#write(file, stream);
    taken.catch((error: unknown) => {
      this.failure ??= asError(error);
      this.#stop.abort();
    });
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

function wrongType({ field, mediaType }: IncomingFile, types: readonly string[]): Error {
  const facts = { field, given: mediaType.slice(0, 100), expected: types.join(', ') };
  return unsupportedMediaType(webErrors.create('WEB_UPLOAD_FILE_TYPE', facts));
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('The upload failed.', { cause: error });
}
