import { mkdir, open, rm } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { HttpRequest } from '#http';
import { badRequest, payloadTooLarge, unsupportedMediaType } from '#http';
import { mediaRangeSpecificity } from '#negotiation';
import { webErrors } from '../error-codes.js';

/** A file of a form while it arrives. */
export interface IncomingFile {
  /** Name of the form field. */
  readonly field: string;
  /** As sent by the client, without folders: for people to read, never a path. */
  readonly filename: string;
  /** As the client claims. */
  readonly mediaType: string;
  /** The bytes as they come; fails with 413 above the limit, and when the client leaves. */
  readonly stream: AsyncIterable<Uint8Array>;
}

export interface UploadOptions {
  /** A folder that files are written to, under random names; or a function that receives each file as it arrives. */
  readonly to: string | ((file: IncomingFile) => unknown);
  /** Bytes of one file. Default 10 MiB. */
  readonly maxFileBytes?: number;
  /** Default 10. */
  readonly maxFiles?: number;
  /** Media types that clients may claim, `image/*` included. Default: any. */
  readonly types?: readonly string[];
  /** Default 100. */
  readonly maxFields?: number;
  /** Maximum bytes of one field other than a file. Default 65,536. */
  readonly maxFieldBytes?: number;
}

/** A completely received file. */
export interface ReceivedFile {
  readonly field: string;
  readonly filename: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** Where it was written; undefined if a function received it. */
  readonly path: string | undefined;
  /** What the function gave. */
  readonly result: unknown;
}

/** What a form brought. Its files are written and complete. */
export interface ReceivedUploads {
  /** In the order of the form. */
  readonly files: readonly ReceivedFile[];
  /** The fields that are no files, in the order of the form. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Removes the written files, if you do not need them after all. */
  discard(): Promise<void>;
}

/**
 * Writes the files of a `multipart/form-data` body as they arrive, to disk or to a function, without holding them in
 * memory; the client is held back meanwhile. `limits.body` does not apply: `maxFiles` times `maxFileBytes` does.
 * Throws 415, 400 or 413 with a coded error; then, and when the client leaves, every file that was written is removed.
 */
export async function receiveUploads(request: HttpRequest, options: UploadOptions): Promise<ReceivedUploads> {
  const reading = new UploadReading(options);
  try {
    await reading.read(request);
    return { files: await reading.files(), fields: reading.fields, discard: () => reading.discard() };
  } catch (error) {
    await reading.settle();
    await reading.discard();
    throw reading.failure ?? asError(error);
  }
}

const boundaryForm = /^[0-9A-Za-z'()+_,./:=? -]{1,70}$/;
const mebibyte = 1_048_576;

class UploadReading {
  readonly fields: (readonly [string, string])[] = [];
  /** The first thing that was found wrong. */
  failure: Error | undefined;
  readonly #options: UploadOptions;
  readonly #taken: Promise<ReceivedFile | undefined>[] = [];
  readonly #paths: string[] = [];
  readonly #stop = new AbortController();

  constructor(options: UploadOptions) {
    this.#options = options;
  }

  async read(request: HttpRequest): Promise<void> {
    const boundary = boundaryOf(request);
    const { to, maxFileBytes = 10 * mebibyte, maxFiles = 10 } = this.#options;
    const { maxFields = 100, maxFieldBytes = 65_536 } = this.#options;
    if (typeof to === 'string') await mkdir(to, { recursive: true });
    const { Busboy } = await import('@fastify/busboy'); // with the first upload
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
    parser.on('field', (name, value, _nameCut, isCut) => {
      if (isCut) this.#fail(tooLarge(name, maxFieldBytes));
      this.fields.push([name, value]);
    });
    parser.on('file', (field, stream, filename, _encoding, mediaType) => {
      stream.on('error', (cause) => this.#fail(malformed(cause)));
      stream.on('limit', () => this.#fail(tooLarge(field, maxFileBytes)));
      this.#take({ field, filename: baseName(filename ?? ''), mediaType, stream }, stream);
    });
    parser.on('filesLimit', () => this.#fail(tooMany(maxFiles, 'files')));
    parser.on('fieldsLimit', () => this.#fail(tooMany(maxFields, 'fields')));
    const maxBytes = maxFiles * maxFileBytes + maxFields * maxFieldBytes + mebibyte;
    parser.on('error', (cause) => this.#fail(malformed(cause)));
    const body = this.#chunks(request.openBody({ maxBytes }));
    await pipeline(Readable.from(body), parser, { signal: this.#stop.signal });
  }

  /** What fails here is the connection, or a limit, and no fault of the form. */
  async *#chunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      this.failure ??= asError(error);
      throw error;
    }
  }

  /** The files, once all of them are taken. Throws what is wrong with one. */
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
    const parts = stream as AsyncIterable<Uint8Array>; // a parser gives bytes
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of parts) {
        signal.throwIfAborted();
        bytes += chunk.byteLength;
        yield chunk;
      }
      signal.throwIfAborted(); // it was cut at the limit
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
      // Opened before anything can be aborted: else the file might be made behind its removal.
      const handle = await open(path, 'wx', 0o600);
      await pipeline(counted(), handle.createWriteStream(), { signal });
      // A file field that is left empty is sent as a nameless, empty file.
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

/** What stands behind the last separator of either kind. */
function baseName(filename: string): string {
  return filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1);
}

function wrongType({ field, mediaType }: IncomingFile, types: readonly string[]): Error {
  const facts = { field, given: mediaType.slice(0, 100), expected: types.join(', ') };
  return unsupportedMediaType(webErrors.create('WEB_UPLOAD_FILE_TYPE', facts));
}

function tooLarge(field: string, limit: number): Error {
  return payloadTooLarge(webErrors.create('WEB_UPLOAD_TOO_LARGE', { field, limit }));
}

function tooMany(limit: number, what: string): Error {
  return payloadTooLarge(webErrors.create('WEB_UPLOAD_TOO_MANY', { limit, what }));
}

function malformed(error: unknown): Error {
  return badRequest(webErrors.create('WEB_UPLOAD_MALFORMED', {}, { cause: error }));
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('The upload failed.', { cause: error });
}
