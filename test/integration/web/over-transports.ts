import { after, before, describe } from 'node:test';
import { type App, type AppOptions, createApp } from 'lookback';
import type { Asked, OpenAnswer, Transport, TransportName } from '../http/transports.js';
import { openTransport, tlsFiles, transportNames } from '../http/transports.js';

/** A response with the bytes of its body. */
export interface BytesAnswer extends Pick<OpenAnswer, 'status'> {
  readonly bytes: Buffer;
  readonly text: string;
  /** The value of a header; several are joined. */
  field(name: string): string | undefined;
}

/** A test's application, and a client for it. */
export interface Bench {
  readonly app: App;
  readonly transport: Transport;
  readonly name: TransportName;
  ask(path: string, asked?: Omit<Asked, 'path'>): Promise<BytesAnswer>;
}

/** Creates the same application for every transport, and runs the tests over each. */
export function overTransports(
  title: string,
  make: () => { readonly options: AppOptions; readonly define?: (app: App) => void },
  tests: (bench: () => Bench) => void,
): void {
  for (const name of transportNames) {
    describe(`${title}, over ${name}`, () => {
      let bench: Bench | undefined;
      before(async () => {
        const { options, define } = make();
        const tls = name === 'TLS' || name === 'HTTP/2' ? { tls: tlsFiles } : {};
        const app = createApp({
          logHandlers: [],
          // One connection for all tests, however long the pauses between their requests.
          limits: { keepAliveTimeout: 60_000 },
          ...options,
          configuration: { profilerStore: 'off', ...options.configuration, ...tls },
        });
        define?.(app);
        const transport = await openTransport(name, app);
        bench = { app, transport, name, ask: (path, asked) => askBytes(transport, { path, ...asked }) };
      });
      after(async () => {
        await bench?.transport.close();
        await bench?.app.close();
      });
      tests(() => {
        if (bench === undefined) throw new Error('asked before it was made');
        return bench;
      });
    });
  }
}

async function askBytes(transport: Transport, asked: Asked): Promise<BytesAnswer> {
  const { status, headers, chunks } = await transport.open(asked);
  const parts: Uint8Array[] = [];
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) parts.push(next.value);
  const bytes = Buffer.concat(parts);
  return {
    status,
    bytes,
    text: bytes.toString(),
    field: (name) => {
      const values = headers.filter(([other]) => other === name).map(([, value]) => value);
      return values.length === 0 ? undefined : values.join(', ');
    },
  };
}
