import { peerOf, type RequestSource, withoutPseudoHeaders } from '#http';
import type { ForeignRequest } from './foreign-message.js';

/**
 * A request of another server, for the record and the access guard: what came over the wire, and the peer of its
 * socket. Without a body: that is the application's to read.
 */
export function readForeignSource(message: ForeignRequest): RequestSource {
  const isStream = message.httpVersionMajor >= 2;
  const source: RequestSource = {
    method: message.method ?? '',
    target: originalTarget(message),
    rawHeaders: isStream ? withoutPseudoHeaders(message.rawHeaders) : message.rawHeaders,
    httpVersion: message.httpVersion,
    peer: peerOf(message.socket),
  };
  const { authority } = message as { authority?: string }; // only HTTP/2 has one
  return isStream && authority !== undefined && authority !== '' ? { ...source, authority } : source;
}

/** Routers of other frameworks cut the prefix off `url` and keep what was sent as `originalUrl`. */
function originalTarget(message: ForeignRequest): string {
  const { originalUrl } = message as { originalUrl?: unknown }; // set by Express, Connect and Koa
  return typeof originalUrl === 'string' ? originalUrl : (message.url ?? '');
}
