import { badRequest, payloadTooLarge, unsupportedMediaType, httpErrors } from '../failures/error-codes.js';
import type { MediaType } from '../headers/parameters.js';
import type { RequestHeaders } from '../headers/request-headers.js';
import type { RequestLimits, RequestSource } from '../source/request-source.js';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { FormBody, type UploadedFile } from './form-body.js';
import { malformedForm, readParts, tooMany } from './read-parts.js';

const charsets: ReadonlyMap<string, string> = new Map([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['us-ascii', 'utf-8'],
  ['iso-8859-1', 'windows-1252'],
  ['windows-1252', 'windows-1252'],
  ['utf-16le', 'utf-16le'],
]);

/** The parts of a request that determine how its body is read. Getters throw if their field is malformed. */
interface BodyRequest {
  readonly source: RequestSource;
  readonly headers: RequestHeaders;
  readonly declaredLength: number | undefined;
  readonly mediaType: MediaType | undefined;
  readonly limits: RequestLimits;
}

/**
 * How long reading the body waited for the client: times of `performance.now()`, and the milliseconds in between during
 * which a chunk was awaited and the process was idle. A busy process may already have had the chunk.
 */
export interface BodyWait {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly waitedMs: number;
}

/** One request's body. It is read from the connection once; each parsed form is cached. */
export class RequestBody {
  readonly #request: BodyRequest;
  #bytes: Promise<Uint8Array> | undefined;
  #read: Uint8Array | undefined;
  #form: Promise<FormBody> | undefined;
  #json: Promise<unknown> | undefined;
  #stream: ReadableStream<Uint8Array> | undefined;
  #wait: BodyWait | undefined;
  #observer: ((chunk: Uint8Array) => void) | undefined;

  constructor(request: BodyRequest) {
    this.#request = request;
  }

  /** The bytes read so far; undefined if the body was not read into memory. Never starts reading. */
  get read(): Uint8Array | undefined {
    return this.#read;
  }

  get wait(): BodyWait | undefined {
    return this.#wait;
  }

  /** Passes each chunk on to an observer, which must not throw, when it is read from the connection. */
  observe(observer: (chunk: Uint8Array) => void): void {
    this.#observer = observer;
  }

  bytes(): Promise<Uint8Array> {
    return (this.#bytes ??= this.#collect());
  }

  async text(): Promise<string> {
    this.#assertPlain();
    const charset = (this.#request.mediaType?.parameters.get('charset') ?? 'utf-8').toLowerCase();
    const label = charsets.get(charset);
    if (label === undefined) {
      throw unsupportedMediaType(httpErrors.create('HTTP_CHARSET_UNSUPPORTED', { charset }));
    }
    const bytes = await this.bytes();
    try {
      return new TextDecoder(label, { fatal: true }).decode(bytes);
    } catch (cause) {
      throw badRequest(httpErrors.create('HTTP_BODY_ENCODING', { charset }, { cause }));
    }
  }

  json(): Promise<unknown> {
    return (this.#json ??= this.#parseJson());
  }

  form(): Promise<FormBody> {
    return (this.#form ??= this.#parseForm());
  }

  /** Streams the chunks as they arrive, at most `maxBytes`. Fails with the same errors as the other readers. */
  stream(maxBytes: number = this.#request.limits.body): ReadableStream<Uint8Array> {
    if (this.#stream !== undefined) return this.#stream;
    const chunks = this.#bytes === undefined ? this.#chunks(maxBytes) : remembered(this.#bytes);
    if (this.#bytes === undefined) {
      this.#bytes = Promise.reject(httpErrors.create('HTTP_BODY_CONSUMED', {}));
      this.#bytes.catch(() => undefined); // avoids an unhandled rejection: later readers get the error
    }
    this.#stream = new ReadableStream<Uint8Array>({
      async pull(controller): Promise<void> {
        const next = await chunks.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel(): Promise<void> {
        await chunks.return?.(undefined);
      },
    });
    return this.#stream;
  }

  async #parseJson(): Promise<unknown> {
    const text = await this.text();
    try {
      return parseJsonBody(text, this.#request.limits.jsonDepth);
    } catch (cause) {
      throw cause instanceof Error ? badRequest(cause) : cause;
    }
  }

  async #parseForm(): Promise<FormBody> {
    this.#assertPlain();
    const { mediaType: type, limits } = this.#request;
    if (type?.essence === 'application/x-www-form-urlencoded')
      return parseUrlencodedForm(await this.text(), limits);
    if (type?.essence === 'multipart/form-data') return parseMultipartForm(await this.bytes(), type, limits);
    throw unsupportedMediaType(
      httpErrors.create('HTTP_MEDIA_TYPE_UNSUPPORTED', {
        given: type?.essence ?? 'none',
        expected: 'application/x-www-form-urlencoded or multipart/form-data',
      }),
    );
  }

  async #collect(): Promise<Uint8Array> {
    let chunks: Uint8Array[] = [];
    for await (const chunk of this.#chunks(this.#request.limits.body)) {
      if (chunks.push(chunk) === maxChunks) chunks = [Buffer.concat(chunks)];
    }
    const [first = new Uint8Array(0)] = chunks;
    this.#read = chunks.length < 2 ? first : Buffer.concat(chunks);
    return this.#read;
  }

  async *#chunks(most: number): AsyncGenerator<Uint8Array, void> {
    const { source, declaredLength } = this.#request;
    if (source.body === undefined) return;
    if (declaredLength !== undefined && declaredLength > most) throw bodyTooLarge(most);
    let total = 0;
    let idleBefore = idleTime();
    let isWaiting = true;
    const startedAt = performance.now();
    const wait = (this.#wait = { startedAt, endedAt: startedAt, waitedMs: 0 });
    const waited = (): void => {
      isWaiting = false;
      wait.endedAt = performance.now();
      wait.waitedMs += idleTime() - idleBefore;
    };
    try {
      for await (const chunk of source.body.chunks()) {
        waited();
        total += chunk.byteLength;
        this.#observer?.(chunk);
        if (total > most) throw bodyTooLarge(most);
        yield chunk;
        idleBefore = idleTime();
        isWaiting = true;
      }
    } finally {
      if (isWaiting) waited();
    }
  }

  #assertPlain(): void {
    const encoding = this.#request.headers.get('content-encoding');
    if (encoding === undefined || encoding.toLowerCase() === 'identity') return;
    throw unsupportedMediaType(
      httpErrors.create('HTTP_CONTENT_ENCODING', { encoding: encoding.slice(0, 100) }),
    );
  }
}

/** Milliseconds for which the process has been idle; 0 in runtimes that do not report it, such as Bun and Deno. */
function idleTime(): number {
  const { nodeTiming } = performance as { readonly nodeTiming?: { readonly idleTime: number } }; // only Node has it
  return nodeTiming?.idleTime ?? 0;
}

async function* remembered(bytes: Promise<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const whole = await bytes;
  if (whole.byteLength > 0) yield whole;
}

function bodyTooLarge(limit: number): Error {
  return payloadTooLarge(httpErrors.create('HTTP_BODY_TOO_LARGE', { limit }));
}

/**
 * Maximum number of chunks kept before they are joined, so that a body sent byte by byte costs little more than its
 * size.
 */
const maxChunks = 1024;

/** Parses JSON (RFC 8259), without `__proto__` keys, which would change an object's prototype if the result were merged into it. */
function parseJsonBody(text: string, maxDepth: number): unknown {
  const value = parse(text);
  assertStructure(value, maxDepth);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown; // `JSON.parse` is typed as any
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/\.$/, '') : 'it cannot be read';
    throw httpErrors.create('HTTP_JSON_MALFORMED', { reason }, { cause });
  }
}

/** Checks nesting and keys. `JSON.parse` does not recurse, and this function goes no deeper than the limit. */
function assertStructure(value: unknown, limit: number, depth = 1): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > limit) throw httpErrors.create('HTTP_JSON_TOO_DEEP', { limit });
  if (Object.hasOwn(value, '__proto__')) {
    throw httpErrors.create('HTTP_JSON_FORBIDDEN_KEY', { key: '__proto__' });
  }
  for (const child of Object.values(value)) assertStructure(child, limit, depth + 1);
}

type Entry = readonly [name: string, value: string | UploadedFile];

/**
 * Parses an `application/x-www-form-urlencoded` body (URL standard section 5.1), in which a bare `%` is a literal
 * character. Throws 400 for invalid UTF-8.
 */
function parseUrlencodedForm(text: string, limits: RequestLimits): FormBody {
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
    return decodeURIComponent(text.replaceAll('+', ' ').replaceAll(/%(?![0-9A-Fa-f]{2})/g, '%25'));
  } catch (cause) {
    throw malformedForm('a percent-encoding is not valid UTF-8', cause);
  }
}

/** Bytes parsed per event-loop tick. */
const sliceBytes = 16_384;

async function* slicesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += sliceBytes) {
    if (at > 0) await yieldToEventLoop();
    yield bytes.subarray(at, at + sliceBytes);
  }
}

/** Parses a `multipart/form-data` body that is in memory. */
async function parseMultipartForm(
  bytes: Uint8Array,
  type: MediaType,
  { formFields, files, formDepth, body }: RequestLimits,
): Promise<FormBody> {
  const entries: (Entry | undefined)[] = [];
  await readParts(slicesOf(bytes), type, {
    limits: { parts: formFields, fields: formFields, files, fieldSize: body },
    field: (name, value) => void entries.push([name, value]),
    file(file, stream) {
      const chunks: Uint8Array[] = [];
      const index = entries.push(undefined) - 1; // reserves the position: a file may end after fields that follow it
      stream.on('data', (chunk: Uint8Array) => chunks.push(chunk));
      stream.on('end', () => {
        const content = Buffer.concat(chunks);
        if (file.filename !== '' || content.length > 0)
          entries[index] = [file.field, { ...file, bytes: content }]; // browsers send an empty file field as an empty file without a name
      });
    },
  });
  return new FormBody(
    entries.filter((entry) => entry !== undefined),
    formDepth,
  );
}
