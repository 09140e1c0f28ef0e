import { defineErrorCodes, type ErrorCodes, type OptionNames, optionNames } from '#coded-error';

/** The part of an application that is needed to serve it. */
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

/** Address and certificate with which an application is served. */
export interface RuntimeServerOptions {
  /** Default: `host` of the configuration. */
  readonly hostname?: string;
  /** Default: `port` of the configuration. 0 lets the system choose a free port. */
  readonly port?: number;
  /** Contents of the PEM files for HTTPS. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

export const runtimeServerOptionNames: OptionNames<RuntimeServerOptions> = optionNames('hostname port tls');

/**
 * A running server of an application. Closing it does not close the application: call `app.close()` to write its records.
 */
export interface RuntimeServer {
  /** Base URL, e.g. `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly port: number;
  /** Stops accepting requests, ends streams, and closes the remaining connections after `graceMs` (default 3000). */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Returns the base URL of a server. An IPv6 address is put in brackets (RFC 3986 section 3.2.2). */
export function serverUrl({
  tls,
  hostname,
  port,
}: Omit<Required<RuntimeServerOptions>, 'tls'> & RuntimeServerOptions): string {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname;
  return `${tls === undefined ? 'http' : 'https'}://${host}:${port}`;
}

/** Waits until `stop` is done; calls `cut` if that takes longer than `graceMs`. */
export async function stopWithin(
  graceMs: number,
  { stop, cut }: { readonly stop: () => Promise<unknown>; readonly cut: () => unknown },
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), Math.min(graceMs, 2_147_483_647)); // timers with a longer delay fire immediately
  });
  const how = await Promise.race([stop(), late]);
  clearTimeout(timer);
  if (how === 'late') await cut();
}

const table = {
  RUNTIME_MISSING: {
    message: '{call} was called on another runtime: there is no {name}.',
    fix: 'Run the program with {name}; on Node.js call app.listen().',
  },
} as const;

export const runtimeErrors: ErrorCodes<typeof table> = defineErrorCodes(table);
