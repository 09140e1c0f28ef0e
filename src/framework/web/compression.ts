import { once } from 'node:events';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { bytes, checkOptions, flag, optionsSchema, type OptionsSchema } from '#core/options';
import {
  type HttpRequest,
  type HttpResponse,
  isStreamedBody,
  sizeOfBody,
  type ResponseBody,
  createChunkSource,
  hasDirective,
} from '#core/http';
import { kernelListener, kernelPriority, responseEvent } from '#framework/kernel';
import { parseQualityValues } from '#core/negotiation';
import { type OmittedBody, omittedBody } from './etag.js';
import { createPathMatcher, pathList, type WebExtension } from './web-extension.js';

export interface CompressionOptions {
  /** Minimum size in bytes of a complete body to compress. Default 1024. Streams are always compressed. */
  readonly threshold?: number;
  /**
   * Also compresses responses that set a cookie or are `Cache-Control: private`. Default false: if a body contains both
   * a secret and text that an attacker can choose, its compressed length reveals the secret (BREACH).
   */
  readonly privateAnswers?: boolean;
  /** Only these paths and everything below them. Default: all. */
  readonly paths?: readonly string[];
}

export const compressionSchema: OptionsSchema<CompressionOptions> = optionsSchema<CompressionOptions>({
  threshold: bytes(),
  privateAnswers: flag,
  paths: pathList,
});

/**
 * Compresses responses for clients that accept it, by type and size. Skips responses that are `no-transform`, already
 * encoded, partial (Range) or private. A strong ETag becomes weak, also for the HEAD, 206 or 304 of the same GET.
 */
export function compression(options: CompressionOptions = {}): WebExtension {
  checkOptions('compression()', options, compressionSchema);
  const { threshold = 1024 } = options;
  const isMeant = createPathMatcher(options.paths);

  function isEligible({ status, headers }: HttpResponse, { type, size }: OmittedBody): boolean {
    if (status < 200 || status === 204 || headers.has('content-encoding')) return false;
    if (!isCompressibleType(type)) return false;
    const control = headers.get('cache-control');
    if (hasDirective(control, 'no-transform')) return false;
    if (options.privateAnswers !== true && (headers.has('set-cookie') || hasDirective(control, 'private')))
      return false;
    return size >= threshold;
  }

  return {
    name: 'compression',
    listeners: [
      kernelListener(
        responseEvent,
        ({ request, response }) => {
          if (!isMeant(request)) return undefined;
          const whole = wholeBodyOf(request, response);
          if (whole === undefined)
            return response.status === 304 ? markUnknown(request, response) : undefined;
          if (!isEligible(response, whole)) return undefined;
          response.headers.addToken('Vary', 'Accept-Encoding');
          const name = chooseEncoding(request.headers.get('accept-encoding'));
          return name === undefined ? undefined : compress(request, response, name);
        },
        { name: 'compression', priority: kernelPriority.response.compression },
      ),
    ],
  };
}

/**
 * Returns type and size of the body that a 200 to this GET would have: a 304, a 206 and a HEAD have its fields (RFC
 * 9110 sections 15.4.5, 15.3.7, 9.3.2). A stream's size is infinite. Undefined if there is none, or if it is
 * unknown.
 */
function wholeBodyOf(
  { method, scope }: HttpRequest,
  { status, headers, body }: HttpResponse,
): OmittedBody | undefined {
  const type = headers.get('content-type');
  if (status === 304) return scope.getOwn(omittedBody);
  if (headers.has('content-range')) {
    const total = /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1];
    return status === 206 ? { type, size: total === undefined ? Infinity : Number(total) } : undefined;
  }
  if (body !== null) return { type, size: isStreamedBody(body) ? Infinity : sizeOfBody(body) };
  const length = headers.get('content-length');
  return method === 'HEAD' && length !== undefined ? { type, size: Number(length) } : undefined;
}

function compress(request: HttpRequest, response: HttpResponse, name: CodingName): Promise<void> | undefined {
  const { body, status } = response;
  const { createStream, compress: compressBytes } = codings[name];
  weakenTag(response);
  if (status === 304 || status === 206) return undefined;
  markEncoded(response, name);
  if (isStreamedBody(body)) {
    // A HEAD's stream is never read.
    if (request.method !== 'HEAD') response.body = compressStream(body, createStream);
    return undefined;
  }
  if (body === null) return undefined;
  return compressBytes(typeof body === 'string' ? Buffer.from(body) : body).then((bytes) => {
    response.body = bytes;
  });
}

/** For a 304 created by the application: only the client's tag shows whether the 200 is compressed. */
function markUnknown(request: HttpRequest, response: HttpResponse): undefined {
  response.headers.addToken('Vary', 'Accept-Encoding');
  const tag = response.headers.get('etag');
  if (tag !== undefined && request.headers.get('if-none-match')?.includes(`W/${tag}`) === true)
    weakenTag(response);
}

/** The bytes depend on the coding, so the tag no longer identifies the same bytes (RFC 9110 section 8.8.1). */
function weakenTag({ headers }: HttpResponse): void {
  const tag = headers.get('etag');
  if (tag?.startsWith('"') === true) headers.set('ETag', `W/${tag}`);
}

function markEncoded({ headers }: HttpResponse, coding: CodingName): void {
  headers.set('Content-Encoding', coding);
  headers.delete('Content-Length');
  headers.delete('Accept-Ranges');
}

type Streamed = Exclude<ResponseBody, string | Uint8Array | null>;

/**
 * Compresses a streamed body as fast as the result is read. Chunks that arrive together are compressed together; if the
 * next one is delayed, the compressor is flushed, so that no event is held back.
 */
function compressStream(body: Streamed, createCompressor: () => Compressor): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const compressor = createCompressor();
      const source = createChunkSource(body);
      compressor.once('close', () => source.stop());
      feed(compressor, source).catch((error: Error) => compressor.destroy(error));
      const compressed = compressor[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>; // it emits bytes
      return {
        next: () => compressed.next(),
        // The stream's own `return` would wait for the next chunk.
        async return() {
          compressor.destroy();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

async function feed(compressor: Compressor, source: ReturnType<typeof createChunkSource>): Promise<void> {
  let flushing: NodeJS.Immediate | undefined;
  for (let chunk = await source.next(); chunk !== undefined; chunk = await source.next()) {
    flushing ??= setImmediate(() => {
      flushing = undefined;
      if (!compressor.destroyed) compressor.flush();
    });
    if (!compressor.write(chunk)) await once(compressor, 'drain');
  }
  compressor.end();
}

type CodingName = 'br' | 'gzip';
type Compressor = zlib.BrotliCompress | zlib.Gzip;

/** Levels for dynamic text: higher ones take several times as long and save only a few per cent. */
const brotli = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };
const gzip = { level: 6 };

const codings = {
  br: {
    compress: (bytes: Uint8Array) => promisify(zlib.brotliCompress)(bytes, brotli),
    createStream: () => zlib.createBrotliCompress(brotli),
  },
  gzip: {
    compress: (bytes: Uint8Array) => promisify(zlib.gzip)(bytes, gzip),
    createStream: () => zlib.createGzip(gzip),
  },
};

/**
 * Returns the coding that the client prefers; undefined if it accepts none of them, or prefers no coding (RFC 9110
 * section 12.5.3).
 */
export function chooseEncoding(accept: string | undefined): CodingName | undefined {
  if (accept === undefined) return undefined;
  const weights = new Map(
    parseQualityValues(accept).map(({ value, quality }) => [value === 'x-gzip' ? 'gzip' : value, quality]),
  );
  const others = weights.get('*') ?? 0;
  let best: CodingName | undefined;
  let bestWeight = weights.get('identity') ?? 0;
  for (const coding of ['br', 'gzip'] as const) {
    const weight = weights.get(coding) ?? others;
    if (weight > 0 && (best === undefined ? weight >= bestWeight : weight > bestWeight))
      [best, bestWeight] = [coding, weight];
  }
  return best;
}

const compressibleEssence =
  /^(?:text\/[^;]+|application\/(?:[^;]+\+(?:json|xml|text)|json|ld\+json|x-ndjson|xml|javascript|ecmascript|wasm|rtf|manifest\+json|vnd\.ms-fontobject|x-tar)|image\/(?:svg\+xml|bmp|x-icon|vnd\.microsoft\.icon)|font\/(?:ttf|otf|collection))$/;

/** Whether content with this type benefits from compression. Images, videos and archives are already compressed. */
export function isCompressibleType(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  const [essence = ''] = contentType.split(';', 1);
  return compressibleEssence.test(essence.trim().toLowerCase());
}
