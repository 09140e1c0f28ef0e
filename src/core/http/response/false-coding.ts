import * as zlib from 'node:zlib';
import type { Scope } from '#core/scope';
import type { HttpResponse } from './http-response.js';
import { beginWithStart, type BodyStart, isStreamedBody } from './response-body.js';
import { encodedFields, commaListOf } from './web-fields.js';

/** Bytes from the beginning of a body that are checked. */
const checkedBytes = 4096;

/** Whether a response declares a content coding for its own complete body, so that the two can be compared. */
export function namesCoding({ status, headers, body }: HttpResponse): boolean {
  return body !== null && status !== 206 && headers.has('content-encoding');
}

/**
 * Removes the headers about a content coding that does not match the body, as when they were copied from a `fetch()`
 * response, whose body is decoded. Returns the removed coding. A coding is removed only if no body with this coding can
 * begin with these bytes. Starts a streamed body; rejects if that fails.
 */
export async function removeFalseCoding(
  response: HttpResponse,
  { scope }: { readonly scope: Scope },
): Promise<string | undefined> {
  const coding = commaListOf(response.headers.get('content-encoding')).at(-1); // the last one applied
  const rules = codings.get(coding ?? '');
  if (coding === undefined || rules === undefined) return undefined;
  let verdict: Verdict = 'unknown';
  const judge = (start: BodyStart): boolean => {
    const size = start.bytes.byteLength;
    if (start.isWhole && size === 0) verdict = 'false';
    else
      verdict = rules(
        size > checkedBytes ? { bytes: start.bytes.subarray(0, checkedBytes), isWhole: false } : start,
      );
    return verdict !== 'unknown' || size >= checkedBytes;
  };
  const { body } = response;
  if (isStreamedBody(body)) response.body = await beginWithStart(body, scope, judge);
  else judge(startOf(body));
  if (!isFalse(verdict)) return undefined;
  for (const name of encodedFields) response.headers.delete(name);
  return coding;
}

/** A function, because the compiler does not see that a callback assigns the variable. */
function isFalse(verdict: Verdict): boolean {
  return verdict === 'false';
}

function startOf(body: string | Uint8Array | null): BodyStart {
  const bytes = typeof body === 'string' ? Buffer.from(body) : (body ?? new Uint8Array());
  return { bytes, isWhole: true };
}

/** `unknown`: a longer prefix may decide. */
type Verdict = 'true' | 'false' | 'unknown';
type Rules = (start: BodyStart) => Verdict;

/** Each coding's signature; codings without one are test-decoded. */
const codings = new Map<string, Rules>([
  ['gzip', beginsWith([0x1f], [0x8b])],
  ['x-gzip', beginsWith([0x1f], [0x8b])],
  ['zstd', zstd],
  ['br', (start) => tryToDecode([brotli], start)],
  // Some servers send it without the zlib header, which RFC 9110 section 8.4.1.2 tells recipients to expect.
  ['deflate', (start) => tryToDecode([zlib.inflateSync, zlib.inflateRawSync], start)],
]);

/** Lists the allowed bytes for each position. */
function beginsWith(...signature: readonly (readonly number[])[]): Rules {
  return ({ bytes, isWhole }) => {
    for (const [at, allowed] of signature.entries()) {
      const byte = bytes[at];
      if (byte === undefined) return isWhole ? 'false' : 'unknown';
      if (!allowed.includes(byte)) return 'false';
    }
    return 'true';
  };
}

const zstdFrame = beginsWith([0x28], [0xb5], [0x2f], [0xfd]);
const skippableFrame = beginsWith(
  Array.from({ length: 16 }, (_, at) => 0x50 + at),
  [0x2a],
  [0x4d],
  [0x18],
);

function zstd(start: BodyStart): Verdict {
  const verdict = zstdFrame(start);
  return verdict === 'false' ? skippableFrame(start) : verdict;
}

type Decoder = (bytes: Uint8Array, options: { finishFlush?: number; maxOutputLength: number }) => unknown;

function brotli(bytes: Uint8Array, { finishFlush, maxOutputLength }: Parameters<Decoder>[1]): Buffer {
  const flush = finishFlush === undefined ? {} : { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH };
  return zlib.brotliDecompressSync(bytes, { ...flush, maxOutputLength });
}

function tryToDecode(decoders: readonly Decoder[], { bytes, isWhole }: BodyStart): Verdict {
  const flush = isWhole ? {} : { finishFlush: zlib.constants.Z_SYNC_FLUSH };
  for (const decode of decoders) {
    try {
      decode(bytes, { ...flush, maxOutputLength: 65_536 });
      return isWhole ? 'true' : 'unknown';
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException; // an error from node:zlib
      if (code === 'ERR_BUFFER_TOO_LARGE') return 'true';
    }
  }
  return 'false';
}
