import { ServerResponse } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { HttpRequest } from '../request/http-request.js';
import type { HttpResponse } from '../response/http-response.js';
import { UpgradeResponse } from '../response/upgrade-response.js';
import { answerUnparsed } from './answer-unparsed.js';
import { NodeSource } from './node-source.js';
import type { ServerState } from './server-state.js';

class UpgradeSource extends NodeSource {
  readonly canUpgrade = true;
}

/**
 * Answers a request that wants another protocol: like any other request, until the answer is an `UpgradeResponse`, which takes
 * the connection. It is over, and told as over, when the connection is closed; any other answer is the connection's last.
 */
export async function beginUpgrade(
  service: ServerState,
  { message, socket, head }: { message: IncomingMessage; socket: Socket; head: Buffer },
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
  let response = await respond(service, request);
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

async function respond(service: ServerState, request: HttpRequest): Promise<HttpResponse> {
  try {
    return await service.handle(request);
  } catch (error) {
    service.report(error, request);
    return service.plainResponse(500);
  }
}
