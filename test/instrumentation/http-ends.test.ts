import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type ClientRequest, createServer, get, type IncomingMessage, type RequestOptions } from 'node:http';
import {
  connect as connectHttp2,
  createServer as createHttp2Server,
  type ClientHttp2Stream,
} from 'node:http2';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { Agent, interceptors, request as undiciRequest } from 'undici';
import { currentRecording, findingsOf } from '#profiler';
import { startInstrumentations, type StartedInstrumentations } from '#profiler/instrumentation';
import { createRecorderBench, type RecorderBench } from './recorder-bench.js';

interface Call {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly isOpen: boolean;
  readonly isCancelled?: true;
  readonly error: string | null;
  readonly callSite: readonly { readonly file: string }[];
}

/** The outcome of a call according to the record. */
function outcomeOf({ isOpen, isCancelled, error }: Call): string {
  if (error !== null) return 'failed';
  if (isCancelled === true) return 'cancelled';
  return isOpen ? 'open' : 'complete';
}

describe('the end of an outgoing call', () => {
  let bench: RecorderBench;
  let instrumentations: StartedInstrumentations;
  let url: string;
  let http2Url: string;
  const servers: Server[] = [];
  const sockets: Socket[] = [];
  const port = (server: Server): number => (server.address() as AddressInfo).port; // it listens

  before(async () => {
    bench = createRecorderBench();
    instrumentations = startInstrumentations();
    instrumentations.look();
    const peer = createServer((incoming, outgoing) => {
      if (incoming.url === '/half') {
        outgoing.writeHead(200, { 'content-length': 100 }).write('half', () => outgoing.destroy());
      } else if (incoming.url === '/half-chunked') {
        outgoing.write('half', () => outgoing.destroy());
      } else if (incoming.url === '/hop') outgoing.writeHead(302, { location: '/here' }).end();
      else if (incoming.url === '/begun') outgoing.write('x'.repeat(100_000));
      else if (incoming.url !== '/silent')
        outgoing.end(incoming.headers.traceparent === undefined ? 'ok' : 'traced');
    });
    const http2 = createHttp2Server();
    http2.on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      const path = headers[':path'];
      if (path === '/silent') return;
      const length = path === '/half' ? { 'content-length': 100 } : {};
      stream.respond({ ':status': 201, 'content-type': 'text/plain', ...length });
      if (path === '/half') stream.end('half');
      else if (path === '/lost') stream.write('half', () => stream.session?.destroy());
      else stream.end(headers['traceparent'] === undefined ? 'ok' : 'traced');
    });
    for (const server of [peer, http2]) {
      servers.push(server);
      server.on('connection', (socket) => sockets.push(socket));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    }
    url = `http://127.0.0.1:${port(peer)}`;
    http2Url = `http://127.0.0.1:${port(http2)}`;
  });
  after(async () => {
    instrumentations.stop();
    for (const server of servers) server.close();
    for (const socket of sockets) socket.destroy();
    await bench.close();
  });

  const recorded = async (work: () => unknown): Promise<{ calls: readonly Call[]; texts: string[] }> => {
    const record = await bench.record(work);
    const { calls } = record.sections['http'] as { readonly calls: readonly Call[] }; // each of them makes one call
    return { calls, texts: findingsOf(record).map(({ text }) => text) };
  };

  /** Sends a request with node:http, and resolves when the response or the request ends in any way. */
  const ask = (path: string, options: RequestOptions = {}): Promise<string> =>
    new Promise((resolve) => {
      const asked = get(url + path, options, (response) => {
        response.on('end', () => resolve('end')).on('error', ({ message }) => resolve(message));
        response.resume();
      });
      asked.on('error', ({ message }) => resolve(message));
    });

  const begun = async (path: string): Promise<[ClientRequest, IncomingMessage]> => {
    const asked = get(url + path).on('error', () => undefined);
    const [response] = (await once(asked, 'response')) as [IncomingMessage]; // as Node documents it
    return [asked, response.on('error', () => undefined)];
  };

  const ask2 = (path: string, use: (stream: ClientHttp2Stream) => void = () => undefined): Promise<unknown> =>
    new Promise((resolve) => {
      const session = connectHttp2(http2Url).on('error', () => undefined);
      const stream = session.request({ ':path': path }).on('error', () => undefined);
      stream.once('close', () => {
        session.destroy();
        resolve(undefined);
      });
      stream.resume().end();
      use(stream);
    });

  const brokenOff: Readonly<Record<string, () => unknown>> = {
    'read by fetch': async () => (await fetch(`${url}/half`)).text().catch(() => undefined),
    'read by undici': async () => (await undiciRequest(`${url}/half`)).body.text().catch(() => undefined),
    'read by node:http': () => ask('/half'),
    'read by node:http, in chunks': () => ask('/half-chunked'),
    'of which only the close is awaited': async () => {
      const [, response] = await begun('/half');
      response.removeAllListeners('error').resume();
      await new Promise((resolve) => response.on('close', resolve));
    },
    'of HTTP/2': () => ask2('/half'),
    'of HTTP/2, with its connection': () => ask2('/lost'),
  };
  for (const [name, work] of Object.entries(brokenOff))
    it(`A truncated response, ${name}, is a failed call and a finding`, async () => {
      const { calls, texts } = await recorded(work);
      assert.deepEqual(calls.map(outcomeOf), ['failed']);
      assert.match(texts.join('\n'), /^GET http:\S+ failed: .+ from \S*http-ends\.test/m);
    });

  const cancelled: Readonly<Record<string, () => unknown>> = {
    'fetch by its signal': async () => {
      const controller = new AbortController();
      const answer = fetch(`${url}/begun`, { signal: controller.signal });
      await answer;
      controller.abort();
    },
    'fetch by its signal before it has a connection': () => {
      const controller = new AbortController();
      fetch(`${url}/silent`, { signal: controller.signal }).catch(() => undefined);
      controller.abort();
    },
    'fetch by the signal of its Request': () => {
      const controller = new AbortController();
      fetch(new Request(`${url}/silent`, { signal: controller.signal })).catch(() => undefined);
      controller.abort(new Error('enough'));
    },
    'fetch by its body': async () => (await fetch(`${url}/begun`)).body?.cancel(),
    'fetch by its reader': async () => {
      const reader = (await fetch(`${url}/begun`)).body?.getReader();
      await reader?.read();
      await reader?.cancel();
    },
    'undici by its body': async () => {
      const { body } = await undiciRequest(`${url}/begun`);
      body.on('error', () => undefined).destroy();
      await new Promise((resolve) => body.on('close', resolve));
    },
    'node:http by destroy': () =>
      void get(`${url}/silent`)
        .on('error', () => undefined)
        .destroy(),
    'node:http by its signal': () => {
      const controller = new AbortController();
      get(`${url}/silent`, { signal: controller.signal }).on('error', () => undefined);
      controller.abort();
    },
    'node:http by destroy, after the head': async () => void (await begun('/begun'))[0].destroy(),
    'node:http by destroy of its response': async () => void (await begun('/begun'))[1].destroy(),
    'HTTP/2 by close': () => ask2('/silent', (stream) => stream.close(8)),
    'HTTP/2 by destroy': () => ask2('/silent', (stream) => stream.destroy()),
    'HTTP/2 with its session': () => ask2('/silent', (stream) => stream.session?.destroy()),
  };
  for (const [name, work] of Object.entries(cancelled))
    it(`A call cancelled by the application, ${name}, is not reported as failed or not awaited`, async () => {
      const { calls, texts } = await recorded(work);
      assert.deepEqual(calls.map(outcomeOf), ['cancelled']);
      assert.deepEqual(
        texts.filter((text) => /failed|Not awaited/.test(text)),
        [],
      );
    });

  const late: Readonly<Record<string, () => unknown>> = {
    'the signal of fetch': () =>
      fetch(`${url}/silent`, { signal: AbortSignal.timeout(20) }).catch(() => undefined),
    'the signal of node:http': () => ask('/silent', { signal: AbortSignal.timeout(20) }),
    'the timeout of node:http': async () => {
      const asked = get(`${url}/silent`, { timeout: 20 }).on('error', () => undefined);
      asked.on('timeout', () => asked.destroy());
      await new Promise((resolve) => asked.on('close', resolve));
    },
  };
  for (const [name, work] of Object.entries(late))
    it(`A call that times out by ${name} is failed`, async () => {
      assert.deepEqual((await recorded(work)).calls.map(outcomeOf), ['failed']);
    });

  it("A call without a response when the request's response ends is reported as not awaited, for every client", async () => {
    for (const work of [
      () => void fetch(`${url}/silent`).catch(() => undefined),
      () => void get(`${url}/silent`).on('error', () => undefined),
      () => void ask2('/silent'),
    ]) {
      const { calls, texts } = await recorded(work);
      assert.deepEqual(calls.map(outcomeOf), ['open']);
      assert.match(texts.join('\n'), /^Not awaited: GET http:\S+ had no answer.*http-ends\.test/m);
    }
  });

  /** An agent that does not extend Node's, and connects first, as agent-base 6 does. */
  class OtherAgent extends EventEmitter {
    readonly defaultPort = 80;
    readonly protocol = 'http:';
    addRequest(asked: { onSocket(socket: unknown): void }, { port: to }: { readonly port: number }): void {
      void Promise.resolve().then(() => asked.onSocket(connect(to, '127.0.0.1')));
    }
  }
  const agentless: readonly [string, () => RequestOptions][] = [
    ['with createConnection', () => ({ createConnection: () => connect(Number(new URL(url).port)) })],
    [
      'with createConnection and a list of header fields',
      () => ({
        createConnection: () => connect(Number(new URL(url).port)),
        headers: ['Host', new URL(url).host, 'X-A', '1'],
      }),
    ],
    ["with an agent that is not Node's", () => ({ agent: new OtherAgent() as never })], // accepted by Node, but not by its types
    ['without an agent', () => ({ agent: false })],
  ];
  for (const [name, options] of agentless)
    it(`A node:http request ${name} is recorded with its URL and the line that sent it`, async () => {
      const { calls } = await recorded(() => ask('/here', options()));
      assert.deepEqual(
        calls.map((call) => [call.url, call.status, outcomeOf(call)]),
        [[`${url}/here`, 200, 'complete']],
      );
      assert.match(calls[0]?.callSite[0]?.file ?? '', /http-ends\.test/);
    });

  it('A request in an HTTP/2 session is recorded with its URL, status and line, and carries the trace', async () => {
    let body = '';
    const { calls } = await recorded(() =>
      ask2('/here?a=1', (stream) => stream.setEncoding('utf8').on('data', (text) => (body += String(text)))),
    );
    assert.deepEqual(
      calls.map((call) => [call.method, call.url, call.status, outcomeOf(call)]),
      [['GET', `${http2Url}/here?a=1`, 201, 'complete']],
    );
    assert.match(calls[0]?.callSite[0]?.file ?? '', /http-ends\.test/);
    assert.equal(body, 'traced');
  });

  const followed: Readonly<Record<string, () => unknown>> = {
    fetch: async () => (await fetch(`${url}/hop`)).text(),
    undici: async () => {
      const dispatcher = new Agent().compose(interceptors.redirect({ maxRedirections: 2 }));
      await (await undiciRequest(`${url}/hop`, { dispatcher })).body.text();
    },
    'node:http': async () => {
      const [, response] = await begun('/hop');
      response.resume();
      await once(response, 'end');
      // Follows the redirect as packages do, on a stack without the application.
      await new Promise((resolve) => process.nextTick(get, url + '/here', resolve));
    },
  };
  for (const [name, work] of Object.entries(followed))
    it(`A redirect that ${name} follows is recorded with both calls, each with the line that sent the request`, async () => {
      const { calls } = await recorded(work);
      assert.deepEqual(
        calls.map((call) => [call.url, call.status]),
        [
          [`${url}/hop`, 302],
          [`${url}/here`, 200],
        ],
      );
      for (const { callSite } of calls) assert.match(callSite[0]?.file ?? 'none', /http-ends\.test/);
    });

  it('A call in flight is in the record of a request that is still running, with its line', async () => {
    const controller = new AbortController();
    let token = '';
    const running = bench.run(() => {
      token = currentRecording()?.token ?? '';
      return fetch(`${url}/silent`, { signal: controller.signal }).catch(() => undefined);
    });
    const found = await bench.profiler.find(token);
    controller.abort();
    await running;
    assert.ok(found.kind === 'found');
    const { calls } = found.record.sections['http'] as { readonly calls: readonly Call[] }; // it makes one call
    assert.deepEqual(calls.map(outcomeOf), ['open']);
    assert.match(calls[0]?.callSite[0]?.file ?? '', /http-ends\.test/);
  });
});
