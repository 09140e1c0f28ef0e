import { type IncomingMessage, OutgoingMessage, type ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import { Readable, Stream } from 'node:stream';
import { type Peer, peerOf, type RequestSource, withoutPseudoHeaders } from '#core/http';

/** A request received by another server's handler. */
export type ForeignRequest = IncomingMessage | Http2ServerRequest;
export type ForeignResponse = ServerResponse | Http2ServerResponse;

/**
 * Returns whether a request and its response are Node's, or derived from them as those of light-my-request are. Tests
 * also emit requests with objects of their own or without a socket, which cannot be recorded.
 */
export function isRecordable(incoming: unknown, outgoing: unknown): boolean {
  if (!(incoming instanceof Readable) || !Array.isArray(Reflect.get(incoming, 'rawHeaders'))) return false;
  if (!isObject(Reflect.get(incoming, 'stream') ?? Reflect.get(incoming, 'socket'))) return false;
  const isAnswer = outgoing instanceof Stream && isObject(Reflect.get(outgoing, 'stream')); // HTTP/2 responses have one
  return isAnswer || outgoing instanceof OutgoingMessage;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Reads another server's request for record and access: the message as sent, and its peer. Does not touch the body. */
export function readForeignSource(message: ForeignRequest): RequestSource {
  const isStream = message.httpVersionMajor >= 2;
  const { authority, originalUrl } = message as { authority?: string; originalUrl?: unknown }; // set by HTTP/2, and by frameworks
  const source: RequestSource = {
    method: message.method ?? '',
    // Routers in Express, Connect and Koa remove a prefix from `url` and keep the original.
    target: typeof originalUrl === 'string' ? originalUrl : (message.url ?? ''),
    rawHeaders: isStream ? withoutPseudoHeaders(message.rawHeaders) : message.rawHeaders,
    httpVersion: message.httpVersion,
    peer: readPeer(message.socket),
  };
  return isStream && authority !== undefined && authority !== '' ? { ...source, authority } : source;
}

/** Reads the peer without side effects: asking the socket would make it answer even after the client has gone. */
function readPeer(socket: Socket): Peer {
  const memory = socket as { _peername?: unknown }; // as Node calls it
  const former = memory._peername;
  const peer = peerOf(socket);
  if (former === undefined || former === null) memory._peername = former;
  return peer;
}
