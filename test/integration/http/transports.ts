import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request as requestHttp } from 'node:http';
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { connect as connectHttp2, constants } from 'node:http2';
import { Agent as TlsAgent, request as requestHttps } from 'node:https';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { App } from 'lookback';

/** A client's request. */
export interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A response whose head has arrived. */
export interface OpenAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly chunks: AsyncIterator<Uint8Array>;
  /** Closes the stream without reading the rest. */
  leave(): void;
}

export interface Answer extends Pick<OpenAnswer, 'status' | 'headers'> {
  readonly body: string;
  /** False if the response was cut off. */
  readonly isWhole: boolean;
}

/** A way to send requests to an application. */
export interface Transport {
  readonly name: string;
  /** The server's origin for browsers. */
  readonly origin: string;
  /** The `httpVersion` that the application sees. */
  readonly version: string;
  open(asked: Asked): Promise<OpenAnswer>;
  close(): void | Promise<void>;
}

const folder = join(process.cwd(), 'test/fixtures/tls');
export const tlsFiles: { readonly cert: string; readonly key: string } = {
  cert: join(folder, 'cert.pem'),
  key: join(folder, 'key.pem'),
};
const ca = readFileSync(tlsFiles.cert);

/** An application needs `tlsFiles` for TLS and HTTP/2. */
export const transportNames = ['HTTP/1.1', 'TLS', 'HTTP/2', 'fetch'] as const;
export type TransportName = (typeof transportNames)[number];

/** Opens a transport to an application, with its own connections. */
export async function openTransport(name: TransportName, app: App): Promise<Transport> {
  if (name === 'fetch') return fetchTransport(app);
  const { url } = await app.listen({ port: 0 });
  if (name === 'HTTP/2') return http2Transport(url);
  return http1Transport(name, url);
}

/** Another client of a server that is already listening. */
export function connectTo(name: Exclude<TransportName, 'fetch'>, url: string): Transport {
  return name === 'HTTP/2' ? http2Transport(url) : http1Transport(name, url);
}

export async function ask(transport: Pick<Transport, 'open'>, asked: Asked): Promise<Answer> {
  const { status, headers, chunks } = await transport.open(asked);
  const parts: Uint8Array[] = [];
  let isWhole = true;
  try {
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next())
      parts.push(next.value);
  } catch {
    isWhole = false;
  }
  return { status, headers, body: Buffer.concat(parts).toString(), isWhole };
}

export function field({ headers }: Pick<Answer, 'headers'>, name: string): string | undefined {
  return headers.find(([other]) => other === name)?.[1];
}

function http1Transport(name: string, url: string): Transport {
  const isTls = url.startsWith('https:');
  const agent = isTls
    ? new TlsAgent({ keepAlive: true, ca, ALPNProtocols: ['http/1.1'] })
    : new Agent({ keepAlive: true });
  return {
    name,
    origin: new URL(url).origin,
    version: '1.1',
    open: ({ path, method = 'GET', headers, body }) =>
      new Promise((resolve, reject) => {
        const send = isTls ? requestHttps : requestHttp;
        const request: ClientRequest = send(new URL(url), { agent, method, path, headers: { ...headers } });
        request.on('error', reject).on('response', (message: IncomingMessage) => {
          resolve({
            status: message.statusCode ?? 0,
            headers: pairs(message.rawHeaders),
            chunks: chunksOf(message),
            leave: () => void request.destroy(),
          });
        });
        request.end(body);
      }),
    close: () => agent.destroy(),
  };
}

function http2Transport(url: string): Transport {
  const session: ClientHttp2Session = connectHttp2(url, { ca });
  session.on('error', () => undefined); // each stream reports it
  return {
    name: 'HTTP/2',
    origin: new URL(url).origin,
    version: '2.0',
    open: ({ path, method = 'GET', headers, body }) =>
      new Promise((resolve, reject) => {
        const options = { endStream: body === undefined };
        const stream: ClientHttp2Stream = session.request(
          { ':path': path, ':method': method, ...headers },
          options,
        );
        stream.on('error', reject);
        stream.on('response', (fields) => {
          resolve({
            status: fields[':status'] ?? 0,
            headers: recordPairs(fields),
            chunks: wholeChunksOf(stream),
            leave: () => stream.close(constants.NGHTTP2_CANCEL),
          });
        });
        if (body !== undefined) stream.end(body);
      }),
    close: () => session.destroy(),
  };
}

function fetchTransport(app: App): Transport {
  return {
    name: 'fetch',
    origin: 'http://localhost',
    version: '1.1',
    async open({ path, method = 'GET', headers = {}, body }) {
      const leaving = new AbortController();
      const response = await app.fetch(new URL(path, 'http://localhost').href, {
        method,
        headers,
        redirect: 'manual',
        signal: leaving.signal,
        peer: { address: '127.0.0.1' },
        ...(body === undefined ? {} : { body }),
      });
      const reader = response.body?.getReader();
      return {
        status: response.status,
        headers: [...response.headers],
        chunks: {
          next: async () => {
            const { value } = (await reader?.read()) ?? { value: undefined };
            return value === undefined ? { done: true, value } : { done: false, value };
          },
        },
        leave() {
          leaving.abort();
          reader?.cancel().catch(() => undefined);
        },
      };
    },
    close: () => undefined,
  };
}

/** A reset stream ends for its reader like any other. */
async function* wholeChunksOf(stream: ClientHttp2Stream): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream as AsyncIterable<Uint8Array>) yield chunk; // no one has set an encoding
  if (!stream.closed) await once(stream, 'close');
  if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) throw new Error(`reset with ${stream.rstCode}`);
}

function chunksOf(stream: Readable): AsyncIterator<Uint8Array> {
  const iterator: AsyncIterator<Uint8Array> = stream[Symbol.asyncIterator]();
  return iterator;
}

function pairs(raw: readonly string[]): (readonly [string, string])[] {
  const fields: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    if (!name.startsWith(':')) fields.push([name, raw[at + 1] ?? '']);
  }
  return fields;
}

function recordPairs(fields: object): (readonly [string, string])[] {
  return Object.entries(fields).flatMap(([name, value]: [string, unknown]) =>
    name.startsWith(':') ? [] : [value].flat().map((one) => [name, String(one)] as const),
  );
}
