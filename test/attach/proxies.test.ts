import assert from 'node:assert/strict';
import { createServer, request as requestHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { RunningApp } from './contract.js';
import { createApp } from 'lookback';
import { attach } from 'lookback/attach';
import { listenOn } from './apps/listen.js';
import { wire } from './wire.js';

/** A program behind a proxy, and how to start it. */
const programs: readonly (readonly [string, () => Promise<RunningApp>])[] = [
  [
    'an attached server',
    () => {
      const server = createServer((_request, response) => response.writeHead(404).end('no such page'));
      const attached = attach(server, { store: 'memory:' });
      return listenOn(server, () => attached.close());
    },
  ],
  [
    'a lookback application',
    async () => {
      const app = createApp({
        configuration: { env: 'test', debug: true, profilerStore: 'memory:', host: '127.0.0.1', port: 0 },
        logHandlers: [],
      });
      const { url } = await app.listen();
      return { port: Number(new URL(url).port), close: () => app.close() };
    },
  ],
];

for (const [name, start] of programs)
  describe(`the profiler of ${name} behind a proxy`, () => {
    let program: RunningApp;
    before(async () => {
      program = await start();
    });
    after(() => program.close());

    const statusOf = async (version: string, fields: readonly string[]): Promise<number> => {
      const head = [`GET /_profiler/ HTTP/${version}`, ...fields, 'Connection: close', '', ''];
      return Number((await wire(program.port, head.join('\r\n'))).slice(9, 12));
    };

    it('is open without a proxy', async () => {
      assert.equal(await statusOf('1.1', [`Host: 127.0.0.1:${program.port}`]), 200);
      for (const fields of [
        ['Referer: http://localhost:5173/shop'],
        ['Referer: https://mail.example.com/'],
        ['Sec-Fetch-Site: none', 'Referer: https://mail.example.com/'],
        ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'],
      ])
        assert.equal(await statusOf('1.1', ['Host: localhost', ...fields]), 200, fields.join(', '));
    });

    it('is closed to requests forwarded by nginx and other proxies, in every recognisable form', async () => {
      const local = `Host: 127.0.0.1:${program.port}`;
      for (const [version, ...fields] of [
        ['1.0', local],
        ['1.0', 'Host: localhost', 'User-Agent: Mozilla/5.0'],
        ['1.1', 'Host: journal.example.com'],
        ['1.1', local, 'X-Forwarded-For: 203.0.113.9'],
        ['1.1', local, 'X-Real-IP: 203.0.113.9'],
        ['1.1', local, 'X-Forwarded-Uri: /'],
        ['1.1', local, 'Via: 1.1 proxy'],
        ['1.1', local, 'Sec-Fetch-Site: same-origin', 'Referer: https://journal.example.com/'],
        ['1.1', local, 'Origin: https://journal.example.com'],
      ] as const)
        assert.notEqual(await statusOf(version, fields), 200, `${version} ${fields.join(', ')}`);
    });

    for (const [how, forward] of [
      ['http.request', forwardByRequest],
      ['fetch', forwardByFetch],
    ] as const)
      it(`is closed to unauthorised clients of a recorded proxy in the same process, which forwards with ${how}`, async () => {
        const proxy = createServer((incoming, outgoing) => forward(program.port, incoming, outgoing));
        const attached = attach(proxy, { store: 'memory:', prefix: '/_proxy' });
        const { port, close } = await listenOn(proxy, () => attached.close());
        try {
          for (const [host, isOpen] of [
            ['localhost', true],
            ['dev.example', false],
          ] as const) {
            const answer = await wire(
              port,
              `GET /_profiler/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
            );
            assert.equal(/^HTTP\/1.1 200/.test(answer), isOpen, `${host}: ${answer.slice(0, 200)}`);
          }
        } finally {
          await close();
        }
      });
  });

/** Forwards as proxies with `changeOrigin` do: with the upstream as Host, and without a header field that names the client. */
function forwardByRequest(port: number, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, url, headers } = incoming;
  const changed = { ...headers, host: `127.0.0.1:${port}` };
  const sent = requestHttp({ host: '127.0.0.1', port, method, path: url, headers: changed }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  sent.on('error', () => outgoing.destroy());
  incoming.pipe(sent);
}

function forwardByFetch(port: number, incoming: IncomingMessage, outgoing: ServerResponse): void {
  fetch(`http://127.0.0.1:${port}${incoming.url ?? ''}`).then(
    async (answer) => outgoing.writeHead(answer.status).end(await answer.text()),
    () => outgoing.destroy(),
  );
}

describe('an attached server below a path of its proxy', () => {
  const server = createServer((_request, response) =>
    response
      .writeHead(200, { 'Content-Type': 'text/html' })
      .end('<!doctype html><title>Shop</title><body></body>'),
  );
  const attached = attach(server, { store: 'memory:', trustedProxies: ['loopback'] });
  let program: RunningApp;
  before(async () => {
    program = await listenOn(server, () => attached.close());
  });
  after(() => program.close());

  it('has a toolbar, a link and pages below that path', async () => {
    const ask = (path: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${program.port}${path}`, {
        redirect: 'manual',
        headers: { 'X-Forwarded-Prefix': '/app', 'X-Forwarded-For': '127.0.0.1', Accept: 'text/html' },
      });
    const response = await ask('/');
    const token = response.headers.get('x-debug-token') ?? '';
    const link = `http://127.0.0.1:${program.port}/app/_profiler/${token}`;
    assert.equal(response.headers.get('x-debug-token-link'), link);
    assert.equal((await ask('/_profiler')).headers.get('location'), '/app/_profiler/');
    const page = await (await ask(`/_profiler/${token}`)).text();
    const links = [...page.matchAll(/ (?:href|src|action)="(\/[^"]*)"/g)].map(([, to = '']) => to);
    assert.ok(links.length > 3);
    for (const to of links) assert.match(to, /^\/app\//);
  });
});
