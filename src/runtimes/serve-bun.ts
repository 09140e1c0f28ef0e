import { refuseUnknownOptions } from '#coded-error';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type FetchingApp,
  runtimeErrors,
  type RuntimeServer,
  runtimeServerOptionNames,
  type RuntimeServerOptions,
  serverUrl,
  stopWithin,
} from './runtime-server.js';

/** The part of Bun's API that is used (https://bun.com/docs/api/http). */
interface Bun {
  serve(options: {
    hostname: string;
    port: number;
    tls?: { cert: string; key: string };
    /** Seconds without traffic after which a connection is closed; at most 255. */
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
 * Serves an application with `Bun.serve`, including the address of the peer, streams in both directions, and TLS. Throws
 * `RUNTIME_MISSING` on another runtime. The application behaves as on Node.js, except where a Node socket is needed:
 * WebSocket routes answer 426, and requests that Bun's parser rejects never reach the application.
 */
export function serveBun(app: FetchingApp, options: RuntimeServerOptions = {}): RuntimeServer {
  refuseUnknownOptions('serveBun()', options, runtimeServerOptionNames);
  const { Bun: bun } = globalThis as { Bun?: Bun }; // defined only on Bun
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

/**
 * Waits until all requests are answered. `stop` alone is not enough: if the body of an answered request was not read, Bun
 * waits until the client closes the connection.
 */
async function answered(server: BunServer): Promise<void> {
  do await pause(50);
  while (server.pendingRequests > 0);
}
