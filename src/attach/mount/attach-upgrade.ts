import type { IncomingMessage, Server } from 'node:http';
import { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { undoAll } from '#patches';
import { type Intercept, interceptEmit } from '../servers/intercept-emit.js';

/** An application that accepts upgrades, such as lookback's. */
export interface UpgradingApp {
  upgrade(message: IncomingMessage, socket: Socket, head: Buffer): boolean;
}

const upgradeEvents: ReadonlySet<string> = new Set(['upgrade']);

/**
 * Serves the WebSocket routes of an application on another server, next to `ws` or other listeners for upgrades, which
 * get the upgrades of all other paths. Without other listeners, the server answers such a request as if it had not
 * requested an upgrade (RFC 9110 section 7.8). For ordinary requests use `toNodeHandler`. The returned function undoes
 * it.
 */
export function attachUpgrade(server: Server, app: UpgradingApp): () => void {
  const answer: Intercept = ({ args, go }) => {
    const [message, socket, head] = args as [IncomingMessage, Socket, Buffer]; // the arguments of the event
    if (app.upgrade(message, socket, head)) return true;
    if (server.listenerCount('upgrade') > 1) return go();
    answerPlainly(server, message, socket);
    return true;
  };
  server.on('upgrade', nothing); // without a listener Node does not report upgrades
  return undoAll([interceptEmit(answer, server, upgradeEvents), () => server.off('upgrade', nothing)]);
}

/**
 * Answers an upgrade request as an ordinary request. Node has already released the connection, so it serves only this
 * request, and a body can no longer be read: such a request gets a 400.
 */
function answerPlainly(server: Server, message: IncomingMessage, socket: Socket): void {
  const response = new ServerResponse(message);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.end());
  socket.on('error', () => socket.destroy());
  if (message.headers['content-length'] === undefined && message.headers['transfer-encoding'] === undefined)
    server.emit('request', message, response);
  else response.writeHead(400).end();
}

function nothing(): void {
  // the intercepted `emit` handles the event
}
