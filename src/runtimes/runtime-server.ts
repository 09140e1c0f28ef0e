/** What can be served: an application of lookback. */
export interface FetchingApp {
  readonly configuration: { readonly host: string; readonly port: number };
  fetch(
    request: Request,
    init: {
      readonly peer: {
        readonly address: string | undefined;
        readonly port: number;
        readonly encrypted: boolean;
      };
      readonly stopping: AbortSignal;
    },
  ): Promise<Response>;
}

/** Where an application is served. */
export interface RuntimeServerOptions {
  /** Default: the configuration's. */
  readonly hostname?: string;
  /** Default: the configuration's. 0 lets the system choose. */
  readonly port?: number;
  /** Texts of PEM files, for HTTPS. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** A server that answers for an application. Closing it leaves the application open: its records are written by `app.close()`. */
export interface RuntimeServer {
  /** Base URL, e.g. `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly port: number;
  /** Accepts no new requests, ends streams, and cuts off the rest after `graceMs` (default 3000). */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Base URL of a server; an IPv6 address is put in brackets (RFC 3986 section 3.2.2). */
export function serverUrl({
  tls,
  hostname,
  port,
}: Omit<Required<RuntimeServerOptions>, 'tls'> & RuntimeServerOptions): string {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname;
  return `${tls === undefined ? 'http' : 'https'}://${host}:${port}`;
}

/** Waits until the server has stopped, or cuts it off. */
export async function stopWithin(
  graceMs: number,
  { stop, cut }: { readonly stop: () => Promise<unknown>; readonly cut: () => unknown },
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), Math.min(graceMs, 2_147_483_647)); // above it a timer fires at once
  });
  const how = await Promise.race([stop(), late]);
  clearTimeout(timer);
  if (how === 'late') await cut();
}
