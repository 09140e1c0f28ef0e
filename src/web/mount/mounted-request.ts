import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { HttpRequest } from '#http';

/** A message of Node's class with what Connect and Express add to it. */
export interface MountedRequest extends IncomingMessage {
  readonly originalUrl: string;
  readonly baseUrl: string;
}

/**
 * A request as a handler of `node:http` takes it, without the first `depth` segments of its path: `originalUrl` and `baseUrl`
 * are as Connect and Express have them. The body is read as the handler reads it. Everything stands on the message itself,
 * as Express replaces its prototype.
 */
export function mountRequest(request: HttpRequest, depth: number): MountedRequest {
  const { rawPath, rawQuery, source } = request;
  const segments = rawPath.split('/');
  const query = rawQuery === '' ? '' : `?${rawQuery}`;
  const host =
    request.headers.has('host') || source.authority === undefined ? [] : ['Host', source.authority];
  // Handlers look for one of the two before they read (RFC 9112 section 6.3); over HTTP/2 neither has to be there.
  const isAnnounced = request.headers.has('content-length') || request.headers.has('transfer-encoding');
  const framing = source.body === undefined || isAnnounced ? [] : ['Transfer-Encoding', 'chunked'];
  const rawHeaders = [...host, ...source.rawHeaders, ...framing];
  let chunks: ReadableStreamDefaultReader<Uint8Array> | undefined;
  // A message of Node's does not call `read` again on its own: it is filled until it has enough.
  const readChunks = async (): Promise<void> => {
    chunks ??= request.body.getReader();
    for (let isWanted = true; isWanted;) {
      const { done, value } = await chunks.read();
      message.complete = done;
      isWanted = message.push(done ? null : value);
    }
  };
  const message: MountedRequest = Object.assign(new IncomingMessage(socketOf(request)), {
    method: request.method,
    originalUrl: rawPath + query,
    baseUrl: segments.slice(0, depth + 1).join('/'),
    url: `/${segments.slice(depth + 1).join('/')}${query}`,
    httpVersion: '1.1', // what such handlers speak, whatever the request came over
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    rawHeaders,
    headers: joinHeaders(rawHeaders),
    _read: () => void readChunks().catch((error: unknown) => message.destroy(asError(error))),
  });
  return message;
}

/** As Node joins fields of one name: cookies by semicolons, all else by commas. */
function joinHeaders(raw: readonly string[]): Record<string, string> {
  const fields = new Map<string, string>();
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name, value] = [(raw[index] ?? '').toLowerCase(), raw[index + 1] ?? ''];
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`);
  }
  return Object.fromEntries(fields);
}

/** Stands for the connection, from which handlers read who the client is; nothing is read from it or written to it. */
function socketOf({ peer }: HttpRequest): Socket {
  const socket = new Socket();
  Object.defineProperties(socket, {
    remoteAddress: { value: peer.address },
    remotePort: { value: peer.port },
    encrypted: { value: peer.encrypted },
  });
  return socket;
}

function asError(thrown: unknown): Error | undefined {
  return thrown instanceof Error ? thrown : undefined;
}
