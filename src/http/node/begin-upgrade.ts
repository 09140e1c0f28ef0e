import { ServerResponse } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { HttpRequest } from '../request/http-request.js';
import { UpgradeResponse } from '../response/upgrade-response.js';
import { answerUnparsed } from './answer-unparsed.js';
import { NodeSource } from './node-source.js';
import type { NodeServerOptions } from './settings/node-server-options.js';
import { ServerState } from './server-state.js';

class UpgradeSource extends NodeSource {
  readonly canUpgrade = true;
}

/** A connection whose client wants another protocol, as Node hands it over. */
export interface UpgradeRequest {
  readonly message: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
}

/** Upgrades of servers that are not ours. */
export interface UpgradeHandler {
  /** Answers the request, or leaves it alone and gives false where `wants` says so. */
  handle(asked: UpgradeRequest, wants: (request: HttpRequest) => boolean): boolean;
  /** Notifies every connection that the service stops; resolves when all are over. */
  close(): Promise<void>;
}

/** Answers requests for another protocol as our own server does, over connections of someone else's. */
export function createUpgradeHandler(options: NodeServerOptions): UpgradeHandler {
  const service = new ServerState(options);
  const open = new Set<Promise<void>>();
  return {
    handle(asked, wants) {
      if (
        !wants(new HttpRequest(new UpgradeSource(asked.message, new ServerResponse(asked.message)), service))
      )
        return false;
      const ending: Promise<void> = beginUpgrade(service, asked)
        .catch((error: unknown) => service.report(error))
        .finally(() => open.delete(ending));
      open.add(ending);
      return true;
    },
    async close() {
      service.beginStop();
      await Promise.all(open);
    },
  };
}

/**
 * Answers a request that wants another protocol: like any other request, until the answer is an `UpgradeResponse`, which takes
 * the connection. It is over, and reported as over, when the connection is closed; any other answer is the connection's last.
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
