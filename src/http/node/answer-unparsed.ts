import type { Socket } from 'node:net';
import { statusText } from '#errors';
import type { HttpResponse } from '../response/http-response.js';
import type { SentResponse } from '../response/sent-response.js';
import { assertStatus, isBodiless } from '../response/assert-response.js';
import { isStreamedBody } from '../response/response-body.js';
import { frameResponse, headText, headerBlock } from './header-block.js';
import { pumpBody } from '../response/pump-body.js';

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
