import { runtimeErrors } from './error-codes.js';
import type { FetchingApp, RuntimeServer, RuntimeServerOptions } from './runtime-server.js';
import { serverUrl, stopWithin } from './runtime-server.js';

/** What is used of Deno (https://docs.deno.com/api/deno/~/Deno.serve). */
interface Deno {
  serve(
    options: {
      hostname: string;
      port: number;
      cert?: string;
      key?: string;
      signal: AbortSignal;
      onListen(): void;
    },
    handler: (
      request: Request,
      info: { readonly remoteAddr: { readonly hostname?: string; readonly port?: number } },
    ) => Promise<Response>,
  ): {
    readonly addr: { readonly port: number };
    shutdown(): Promise<void>;
    readonly finished: Promise<void>;
  };
}

/**
 * Serves an application by `Deno.serve`: with the true peer, streams in both directions, TLS and HTTP/2. Throws `RUNTIME_MISSING`
 * on another runtime. The application is the same as on Node.js but for what a socket of Node's is needed for: WebSocket
 * routes answer 426, and what Deno's own parser refuses never reaches it.
 */
export function serveDeno(app: FetchingApp, options: RuntimeServerOptions = {}): RuntimeServer {
  const { Deno: deno } = globalThis as { Deno?: Deno }; // there on Deno alone
  if (deno === undefined) throw runtimeErrors.create('RUNTIME_MISSING', { call: 'serveDeno', name: 'Deno' });
  const { hostname = app.configuration.host, port = app.configuration.port, tls } = options;
  const [stopping, cutting] = [new AbortController(), new AbortController()];
  const server = deno.serve(
    { hostname, port, ...tls, signal: cutting.signal, onListen: () => undefined },
    (request, { remoteAddr }) =>
      app.fetch(request, {
        peer: { address: remoteAddr.hostname, port: remoteAddr.port ?? 0, encrypted: tls !== undefined },
        stopping: stopping.signal,
      }),
  );
  return {
    url: serverUrl({ ...options, hostname, port: server.addr.port }),
    port: server.addr.port,
    close({ graceMs = 3000 } = {}) {
      stopping.abort();
      const cut = (): Promise<void> => {
        cutting.abort();
        return server.finished;
      };
      return stopWithin(graceMs, { stop: () => server.shutdown(), cut });
    },
  };
}
