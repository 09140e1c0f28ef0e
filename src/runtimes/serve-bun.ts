import { setTimeout as pause } from 'node:timers/promises';
import { runtimeErrors } from './error-codes.js';
import type { FetchingApp, RuntimeServer, RuntimeServerOptions } from './runtime-server.js';
import { serverUrl, stopWithin } from './runtime-server.js';

/** What is used of Bun (https://bun.com/docs/api/http). */
interface Bun {
  serve(options: {
    hostname: string;
    port: number;
    tls?: { cert: string; key: string };
    /** Seconds without a byte after which a connection is closed; at most 255. */
    idleTimeout: number;
    fetch(request: Request, server: BunServer): Promise<Response>;
  }): BunServer;
}
interface BunServer {
  readonly port: number;
  readonly pendingRequests: number;
  requestIP(request: Request): { readonly address: string; readonly port: number } | null;
  stop(closeActiveConnections?: boolean): Promise<void>;
}

/**
 * Serves an application by `Bun.serve`: with the true peer, streams in both directions, and TLS. Throws `RUNTIME_MISSING` on
 * another runtime. The application is the same as on Node.js but for what a socket of Node's is needed for: WebSocket routes
 * answer 426, and what Bun's own parser refuses never reaches it.
 */
export function serveBun(app: FetchingApp, options: RuntimeServerOptions = {}): RuntimeServer {
  const { Bun: bun } = globalThis as { Bun?: Bun }; // there on Bun alone
  if (bun === undefined) throw runtimeErrors.create('RUNTIME_MISSING', { call: 'serveBun', name: 'Bun' });
  const { hostname = app.configuration.host, port = app.configuration.port, tls } = options;
  const stopping = new AbortController();
  const server = bun.serve({
    hostname,
    port,
    ...(tls === undefined ? {} : { tls: { ...tls } }),
    idleTimeout: 120,
    fetch(request, self) {
      const from = self.requestIP(request);
      const peer = { address: from?.address, port: from?.port ?? 0, encrypted: tls !== undefined };
      return app.fetch(request, { peer, stopping: stopping.signal });
    },
  });
  return {
    url: serverUrl({ ...options, hostname, port: server.port }),
    port: server.port,
    close({ graceMs = 3000 } = {}) {
      stopping.abort();
      const stop = (): Promise<void> => Promise.race([server.stop(), answered(server)]);
      return stopWithin(graceMs, { stop, cut: () => undefined }).then(() => server.stop(true));
    },
  };
}

/** If a request's body was not read, Bun waits for its connection until the client closes it, although it was answered. */
async function answered(server: BunServer): Promise<void> {
  do await pause(50);
  while (server.pendingRequests > 0);
}
