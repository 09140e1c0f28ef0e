import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import { Server as Http1Server } from 'node:http';
import type { Server } from 'node:net';
import type { Connections } from './connections.js';
import type { Service } from './service.js';

interface Running {
  readonly server: Server | Http2SecureServer;
  readonly service: Service;
  readonly connections: Connections;
  readonly sessions: ReadonlySet<ServerHttp2Session>;
}

/** Ends idle connections at once, the others with their answer, and after `graceMs` whatever is left. */
export async function stopServer(running: Running, graceMs: number): Promise<void> {
  const { server, service, connections, sessions } = running;
  service.isClosing = true;
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  for (const session of sessions) session.close();
  const sweep = setInterval(() => closeIdle(server), 50).unref();
  closeIdle(server);
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

function closeIdle(server: Server | Http2SecureServer): void {
  if (server instanceof Http1Server) server.closeIdleConnections();
  else if ('closeIdleConnections' in server && typeof server.closeIdleConnections === 'function') {
    server.closeIdleConnections();
  }
}
