import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { statusText } from '#errors';
import { HttpRequest } from '../request/http-request.js';
import { UpgradeResponse, type HttpResponse, type SentResponse } from '../response/http-response.js';
import { assertStatus, isBodiless, isStreamedBody, pumpBody } from '../response/response-body.js';
import { frameResponse, headText, headerBlock } from './header-block.js';
import { NodeSource } from './node-source.js';
import type { ServerState } from './server-state.js';

class UpgradeSource extends NodeSource {
  readonly canUpgrade = true;
}

/** A connection whose client requests another protocol, as Node's `upgrade` event passes it. */
interface UpgradeRequest {
  readonly message: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
}

/**
 * Answers an upgrade request. If the answer is an `UpgradeResponse`, that takes over the connection, and the request is
 * reported as finished when the connection closes. Any other answer is sent, and the connection is closed after it.
 */
export async function beginUpgrade(
  service: ServerState,
  { message, socket, head }: UpgradeRequest,
): Promise<void> {
  const source = new UpgradeSource(message, new ServerResponse(message));
  const request = new HttpRequest(source, service);
  socket.on('error', () => socket.destroy());
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      source.abort();
      resolve();
    });
  });
  let response = await service.respond(request, 500);
  if (response instanceof UpgradeResponse && socket.writable) {
    try {
      response.take({ message, socket, head, headers: response.headers });
      await closed;
      const headers = [...response.headers.flat];
      service.terminate(request, response, { status: 101, headers, bodyBytes: 0, completed: true });
      return;
    } catch (error) {
      service.report(error, request);
      response = service.plainResponse(500);
    }
  }
  if (response.status === 101) response = service.plainResponse(500);
  service.terminate(request, response, await answerUnparsed(socket, response, source.method));
}

/** Milliseconds that a refused client may keep sending before its connection is cut, so that it can read the answer. */
const lingerMs = 1000;

/** Writes an answer to a socket whose request could not be parsed, and closes the socket. */
export async function answerUnparsed(
  socket: Socket,
  response: HttpResponse,
  method: string,
): Promise<SentResponse> {
  const { status, body } = response;
  assertStatus(status);
  const headers = headerBlock(response, frameResponse(response, method, { kind: 'close' }), {
    keepAlive: undefined,
  });
  let bodyBytes = 0;
  const onBytes = (count: number): void => {
    bodyBytes += count;
  };
  const bodiless = isBodiless(method, status) || body === null;
  socket.cork();
  socket.write(headText(status, statusText(status), headers), 'latin1');
  let completed = true;
  if (!bodiless && (typeof body === 'string' || body instanceof Uint8Array)) {
    bodyBytes = Buffer.byteLength(body);
    socket.write(body);
  }
  socket.uncork();
  if (!bodiless && isStreamedBody(body)) {
    completed = await pumpBody(body, socket, { onBytes }).catch(() => false);
  }
  const flushed = await endSocket(socket);
  return { status, headers, bodyBytes, completed: completed && flushed };
}

/** Ends the socket; resolves to whether everything was flushed. Destroys the socket after `lingerMs` in any case. */
function endSocket(socket: Socket): Promise<boolean> {
  setTimeout(() => socket.destroy(), lingerMs).unref();
  return new Promise((resolve) => {
    socket.once('close', () => resolve(false));
    socket.end(() => resolve(true));
  });
}
