import { refuseUnknownOptions } from '#coded-error';
import {
  type FetchingApp,
  runtimeErrors,
  type RuntimeServer,
  runtimeServerOptionNames,
  type RuntimeServerOptions,
  serverUrl,
  stopWithin,
} from './runtime-server.js';

/** The part of Deno's API that is used (https://docs.deno.com/api/deno/~/Deno.serve). */
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
 * Serves an application with `Deno.serve`, including the address of the peer, streams in both directions, TLS and HTTP/2.
 * Throws `RUNTIME_MISSING` on another runtime. The application behaves as on Node.js, except where a Node socket is needed:
 * WebSocket routes answer 426, and requests that Deno's parser rejects never reach the application.
 */
export function serveDeno(app: FetchingApp, options: RuntimeServerOptions = {}): RuntimeServer {
  refuseUnknownOptions('serveDeno()', options, runtimeServerOptionNames);
  const { Deno: deno } = globalThis as { Deno?: Deno }; // defined only on Deno
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
