import { hash } from 'node:crypto';
import { refuseUnknownOptions } from '#coded-error';
import { type HttpRequest, HttpResponse } from '#http';
import { kernelListener, responseEvent } from '#kernel';
import { isNotModified } from './choose-content.js';
import { createPathMatcher, type WebExtension, webPriority } from './web-extension.js';

export interface EtagOptions {
  /** Only these paths and everything below them. Default: all. */
  readonly paths?: readonly string[];
}

/**
 * Adds an ETag, a hash of the body, to complete answers to GET and HEAD that have none, and answers 304 to clients that
 * already have the same body. The controller still runs: only the transfer is saved. Streams, `no-store` answers, and
 * statuses other than 200 are not changed.
 */
export function etag(options: EtagOptions = {}): WebExtension {
  refuseUnknownOptions('etag()', options, 'paths');
  const isMeant = createPathMatcher(options.paths);
  return {
    name: 'etag',
    listeners: [
      kernelListener(
        responseEvent,
        (event) => {
          const { request, response } = event;
          if (!isMeant(request) || !canBeKept(request, response)) return;
          const { headers } = response;
          const tag = headers.get('etag') ?? tagOf(response);
          if (tag === undefined) return;
          if (!headers.has('etag')) headers.set('ETag', tag);
          const modified = Date.parse(headers.get('last-modified') ?? '');
          const validators = { etag: tag, modified: Number.isNaN(modified) ? undefined : modified };
          if (isNotModified(request, validators)) event.response = notModified(response);
        },
        { name: 'etag', priority: webPriority.response.etag },
      ),
    ],
  };
}

function canBeKept({ method }: HttpRequest, { status, headers }: HttpResponse): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || status !== 200) return false;
  return !/(?:^|[\s,])no-store(?:$|[\s,])/i.test(headers.get('cache-control') ?? '');
}

function tagOf({ body }: HttpResponse): string | undefined {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return undefined;
  return `"${hash('sha1', body, 'base64url' as 'base64')}"`; // Node accepts every encoding of a Buffer, but its types declare only two
}

/** Creates the 304, without the fields that describe the omitted body. */
function notModified({ headers }: HttpResponse): HttpResponse {
  const response = new HttpResponse(null, { status: 304, headers });
  for (const name of ['Content-Type', 'Content-Length', 'Content-Encoding', 'Content-Disposition'])
    response.headers.delete(name);
  return response;
}
