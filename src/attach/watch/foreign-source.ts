import { peerOf, type RequestSource, withoutPseudoHeaders } from '#http';
import type { ForeignRequest } from './foreign-message.js';

/**
 * Reads a request of another server for the record and the access guard: the message as sent, and the peer of its
 * socket. The body is left to the application.
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

/** Returns the target as sent: routers of frameworks remove a prefix from `url` and keep the original as `originalUrl`. */
function originalTarget(message: ForeignRequest): string {
  const { originalUrl } = message as { originalUrl?: unknown }; // set by Express, Connect and Koa
  return typeof originalUrl === 'string' ? originalUrl : (message.url ?? '');
}
