import type { HttpRequest, HttpResponse } from '#http';
import { isStreamedBody, sizeOfBody } from '#http';
import { kernelListener, responseEvent } from '#kernel';
import { chooseEncoding } from '../choose-encoding.js';
import { isCompressibleType } from '../compressible-type.js';
import { createPathMatcher } from '../path-matcher.js';
import { webErrors } from '../error-codes.js';
import type { WebExtension } from '../web-extension.js';
import { webPriority } from '../web-priority.js';
import type { CodingName } from './codings.js';
import { codings } from './codings.js';
import { compressStream } from './compress-stream.js';

export interface CompressionOptions {
  /** Bytes from which on a whole body is compressed. Default 1024. Streams always are. */
  readonly threshold?: number;
  /** Codings on offer, the best liked first. Default: br, zstd (Node 22.15 and later), gzip. */
  readonly codings?: readonly CodingName[];
  /**
   * Also compresses answers that set a cookie or are `Cache-Control: private`. Default false: if a body contains both a
   * secret and text that an attacker can choose, its compressed length reveals the secret (BREACH).
   */
  readonly privateAnswers?: boolean;
  /** Only these paths and everything below them. Default: all. */
  readonly paths?: readonly string[];
}

/**
 * Compresses answers for clients that accept it, by type and size. It skips answers that are `no-transform`, already
 * encoded, partial (Range) or private. A strong ETag becomes a weak one.
 */
export function compression(options: CompressionOptions = {}): WebExtension {
  const { threshold = 1024 } = options;
  const offered = (options.codings ?? [...codings.keys()]).filter((name) => codings.has(name));
  if (offered.length === 0)
    throw webErrors.create('WEB_BAD_OPTION', {
      option: 'codings',
      what: 'compression',
      given: 'without one that this Node has',
      takes: [...codings.keys()].join(', '),
    });
  const isMeant = createPathMatcher(options.paths);

  function isEligible({ status, headers, body }: HttpResponse): boolean {
    if (status < 200 || status === 204 || status === 206 || status === 304 || body === null) return false;
    if (headers.has('content-encoding') || headers.has('content-range')) return false;
    if (!isCompressibleType(headers.get('content-type'))) return false;
    const control = headers.get('cache-control') ?? '';
    if (hasDirective(control, 'no-transform')) return false;
    if (options.privateAnswers !== true && (headers.has('set-cookie') || hasDirective(control, 'private')))
      return false;
    return isStreamedBody(body) || sizeOfBody(body) >= threshold;
  }

  return {
    name: 'compression',
    listeners: [
      kernelListener(
        responseEvent,
        ({ request, response }) => {
          if (!isMeant(request)) return undefined;
          // Its 200 would say so, and it has no type left to show it.
          if (response.status === 304) response.headers.addToken('Vary', 'Accept-Encoding');
          if (!isEligible(response)) return undefined;
          response.headers.addToken('Vary', 'Accept-Encoding');
          const name = chooseEncoding(request.headers.get('accept-encoding'), offered);
          return name === undefined ? undefined : compress(request, response, name);
        },
        { name: 'compression', priority: webPriority.response.compression },
      ),
    ],
  };
}

function compress(request: HttpRequest, response: HttpResponse, name: CodingName): Promise<void> | undefined {
  const { body } = response;
  const coding = codings.get(name);
  if (coding === undefined || body === null) return undefined;
  if (!isStreamedBody(body)) {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    return coding.compress(bytes).then((small) => {
      if (small.byteLength < bytes.byteLength) describe(response, name).body = small;
    });
  }
  // Of a HEAD's stream nothing is read: it is left as it is, to be given up.
  if (request.method !== 'HEAD')
    describe(response, name).body = compressStream(body, () => coding.createStream());
  return undefined;
}

function describe(response: HttpResponse, coding: CodingName): HttpResponse {
  const { headers } = response;
  headers.set('Content-Encoding', coding);
  headers.delete('Content-Length');
  headers.delete('Accept-Ranges');
  const tag = headers.get('etag');
  if (tag?.startsWith('"') === true) headers.set('ETag', `W/${tag}`);
  return response;
}

function hasDirective(control: string, name: string): boolean {
  return control.split(',').some((directive) => directive.trim().toLowerCase() === name);
}
