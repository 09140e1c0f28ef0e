import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { HttpRequest } from '#http';

/** A Node message with the properties that Connect and Express add to it. */
export interface MountedRequest extends IncomingMessage {
  readonly originalUrl: string;
  readonly baseUrl: string;
}

/**
 * Creates the request for a `node:http` handler, without the first `depth` segments of its path; `originalUrl` and
 * `baseUrl` are as in Connect and Express. The body is read when the handler reads it. All properties are set on the
 * message itself, because Express replaces its prototype.
 */
export function mountRequest(request: HttpRequest, depth: number): MountedRequest {
  const { rawPath, rawQuery, source } = request;
  const segments = rawPath.split('/');
  const query = rawQuery === '' ? '' : `?${rawQuery}`;
  const host =
    request.headers.has('host') || source.authority === undefined ? [] : ['Host', source.authority];
  // Handlers read a body only if one of these fields announces it (RFC 9112 section 6.3); HTTP/2 requires neither.
  const isAnnounced = request.headers.has('content-length') || request.headers.has('transfer-encoding');
  const framing = source.body === undefined || isAnnounced ? [] : ['Transfer-Encoding', 'chunked'];
  const rawHeaders = [...host, ...source.rawHeaders, ...framing];
  let chunks: ReadableStreamDefaultReader<Uint8Array> | undefined;
  // Node does not call `read` again by itself, so chunks are pushed until the buffer is full.
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
    httpVersion: '1.1', // these handlers expect HTTP/1.1, whatever the actual protocol
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    rawHeaders,
    headers: joinHeaders(rawHeaders),
    _read: () => void readChunks().catch((error: unknown) => message.destroy(asError(error))),
  });
  return message;
}

/** Joins same-named fields as Node does: cookies by semicolons, all others by commas. */
function joinHeaders(raw: readonly string[]): Record<string, string> {
  const fields = new Map<string, string>();
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name, value] = [(raw[index] ?? '').toLowerCase(), raw[index + 1] ?? ''];
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`);
  }
  return Object.fromEntries(fields);
}

/** Creates a socket from which handlers can read the client's address. It does not transfer data. */
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
