import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type { RunningApp } from '../contract.js';

/** Serves a handler on a free port. */
export async function listen(
  handler: RequestListener,
  closing: () => Promise<void> = () => Promise.resolve(),
): Promise<RunningApp> {
  return listenOn(createServer(handler), closing);
}

export async function listenOn(
  server: Server,
  closing: () => Promise<void> = () => Promise.resolve(),
): Promise<RunningApp> {
  // On a busy machine, a client reuses an idle connection late.
  if ('keepAliveTimeout' in server) server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) =>
    // On a busy machine, a thousand connections wait to be accepted.
    server.listen({ port: 0, host: '127.0.0.1', backlog: 2048 }, resolve),
  );
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    port,
    async close() {
      if ('closeAllConnections' in server && typeof server.closeAllConnections === 'function')
        server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await closing();
    },
  };
}
