import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { Server } from 'node:net';
import { closeListener } from './fast/node-internals.js';
import type { Connections } from './connections.js';
import type { ServerState } from './server-state.js';

interface Running {
  readonly server: Server | Http2SecureServer;
  readonly service: ServerState;
  readonly connections: Connections;
  readonly sessions: ReadonlySet<ServerHttp2Session>;
}

/** Ends idle connections at once, the others with their answer, and after `graceMs` whatever is left. */
export async function stopServer(running: Running, graceMs: number): Promise<void> {
  const { server, service, connections, sessions } = running;
  service.beginStop();
  const closed = new Promise<void>((resolve) => closeListener(server, resolve));
  connections.closeIdle(server, service.inFlight);
  for (const session of sessions) session.close();
  const sweep = setInterval(() => connections.closeIdle(server, service.inFlight), 50).unref();
  for (const socket of connections.sockets) if (socket.bytesRead === 0) socket.destroy(); // to Node, these are not idle but late
  const cutOff = setTimeout(() => {
    for (const session of sessions) session.destroy();
    for (const socket of connections.sockets) socket.destroy();
  }, graceMs);
  await closed;
  connections.unwatch();
  clearInterval(sweep);
  clearTimeout(cutOff);
  await Promise.all(service.terminating);
}
