import type { App } from 'lookback';

/** The part of Bun that is used. */
interface BunRuntime {
  serve(options: {
    readonly hostname: string;
    readonly port: number;
    fetch(
      request: Request,
      server: { requestIP(of: Request): { address: string; port: number } | null },
    ): Promise<Response>;
  }): { readonly port: number };
}

/** The part of Deno that is used. */
interface DenoRuntime {
  serve(
    options: { readonly hostname: string; readonly port: number; onListen(): void },
    answer: (
      request: Request,
      info: { readonly remoteAddr: { readonly hostname: string; readonly port: number } },
    ) => Promise<Response>,
  ): { readonly addr: { readonly port: number } };
}

declare const Bun: BunRuntime | undefined;
declare const Deno: DenoRuntime;

/** Serves an application with the runtime's own server, as docs/guides/deployment.md shows. Returns its address. */
export function serveFetch(app: Pick<App, 'fetch'>): string {
  const free = { hostname: '127.0.0.1', port: 0 };
  const port =
    typeof Bun === 'undefined'
      ? Deno.serve({ ...free, onListen: () => undefined }, (request, { remoteAddr }) =>
          app.fetch(request, { peer: { address: remoteAddr.hostname, port: remoteAddr.port } }),
        ).addr.port
      : Bun.serve({
          ...free,
          fetch(request, server) {
            const { address, port: from } = server.requestIP(request) ?? {};
            return app.fetch(request, { peer: { address, port: from } });
          },
        }).port;
  return `http://127.0.0.1:${port}`;
}
