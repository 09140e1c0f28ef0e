import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { EventEmitter } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type App, type ControllerContext, createApp, type HttpRequest, HttpResponse } from 'lookback';
import { attach } from 'lookback/attach';
import { plainHandler } from '../../attach/apps/plain-app.js';
import { until } from '../../until.js';
import { ask, connectTo, tlsFiles } from './transports.js';
import type { Transport } from './transports.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void; // the flag has just defined it

const paths = [
  '/plain',
  '/missing',
  '/throw',
  '/stream',
  '/web-response',
  '/web-request',
  '/signal',
  '/form',
];

describe('One connection that carries 900 requests with every kind of response', () => {
  for (const name of ['HTTP/1.1', 'TLS', 'HTTP/2'] as const) {
    it(`over ${name} leaves no listener and no memory behind`, async () => {
      const carriers = new Set<EventEmitter>();
      const app = createKinds(name !== 'HTTP/1.1', (request) => carriers.add(carrierOf(request)));
      const { url } = await app.listen({ port: 0 });
      const transport = connectTo(name, url);
      try {
        await checkFlat(transport, carriers);
      } finally {
        await transport.close();
        await app.close();
      }
    });
  }

  it('under attach leaves no listener and no memory behind', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookback-'));
    const server = createServer(plainHandler);
    const attached = attach(server, { store: `sqlite:${join(folder, 'records.db')}` });
    const carriers = new Set<EventEmitter>();
    server.on('connection', (socket) => carriers.add(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // it listens on a port
    const transport = connectTo('HTTP/1.1', `http://127.0.0.1:${port}/`);
    try {
      await checkFlat(transport, carriers, ['/users/1', '/missing', '/empty', '/cookies', '/raw', '/made']);
    } finally {
      await transport.close();
      await attached.close();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

let warnings: Error[] = [];
const note = (warning: Error): void => void warnings.push(warning);
before(() => process.on('warning', note));
after(() => process.off('warning', note));

async function checkFlat(
  transport: Transport,
  carriers: ReadonlySet<EventEmitter>,
  asked: readonly string[] = paths,
): Promise<void> {
  warnings = [];
  await send(transport, 300, asked);
  assert.equal(carriers.size, 1, 'all requests use one connection');
  const listeners = await until(() => stillListeners(carriers));
  const before = heapBytes();
  const measured = 600;
  await send(transport, measured, asked);
  assert.deepEqual(await until(() => stillListeners(carriers)), listeners);
  const grown = (heapBytes() - before) / measured;
  assert.ok(grown < 2000, `each request left ${grown.toFixed(0)} bytes`);
  assert.deepEqual(warnings, []);
}

async function send(transport: Transport, count: number, asked: readonly string[]): Promise<void> {
  for (let at = 0; at < count; at++) await ask(transport, { path: asked[at % asked.length] ?? '/' });
}

/** The listeners by event; undefined while some may still belong to a request that is ending. */
async function stillListeners(carriers: ReadonlySet<EventEmitter>): Promise<object | undefined> {
  const first = listenersOf(carriers);
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  const second = listenersOf(carriers);
  return JSON.stringify(first) === JSON.stringify(second) ? second : undefined;
}

function listenersOf(carriers: ReadonlySet<EventEmitter>): object {
  return [...carriers].map((carrier) =>
    Object.fromEntries(carrier.eventNames().map((event) => [String(event), carrier.listenerCount(event)])),
  );
}

function heapBytes(): number {
  for (let round = 0; round < 4; round++) collect();
  return process.memoryUsage().heapUsed;
}

/** The emitter that carries this and other requests: the socket, or the HTTP/2 session. */
function carrierOf(request: HttpRequest): EventEmitter {
  const source = request.source as unknown as { socket?: EventEmitter; reply: Http2ServerResponse }; // a NodeSource
  return source.socket ?? source.reply.stream.session ?? assert.fail('the session is gone');
}

function createKinds(isTls: boolean, see: (request: HttpRequest) => void): App {
  const app = createApp({
    configuration: { env: 'prod', debug: false, profilerStore: 'off', tls: isTls ? tlsFiles : undefined },
    logHandlers: [{ handle: () => undefined }],
  });
  const on = (path: string, answer: (context: ControllerContext) => unknown): void =>
    void app.route({
      path,
      methods: ['GET'],
      controller: (context: ControllerContext) => {
        see(context.request);
        return answer(context);
      },
    });
  on('/plain', () => 'plain');
  on('/throw', () => {
    throw new Error('on purpose');
  });
  on('/stream', () => new HttpResponse(threeChunks()));
  on('/web-response', () => new Response('web'));
  on('/web-request', ({ request }) => request.web.url);
  on('/signal', ({ request }) => String(request.signal.aborted));
  on('/form', async ({ request }) => String((await request.bytes()).byteLength));
  return app;
}

async function* threeChunks(): AsyncGenerator<string> {
  for (const chunk of ['one', 'two', 'three']) yield chunk;
}
