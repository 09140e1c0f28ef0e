import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { attach } from 'lookback/attach';
import { lookback } from 'lookback/fastify';
import { until } from '../until.js';

/** Fastify's own dependency, with which `inject` calls a handler. */
const lightMyRequest = createRequire(import.meta.resolve('fastify'))('light-my-request') as (
  handler: RequestListener,
  url: string,
) => Promise<{ readonly payload: string }>; // as it is declared there

/** Emits requests that no client has sent, both before and after the profiler is loaded. */
const program = `
  const { EventEmitter } = require('node:events');
  const { createServer, IncomingMessage, ServerResponse } = require('node:http');
  const { Readable, Writable } = require('node:stream');
  const server = createServer((request, response) => {
    response.setHeader('x-path', request.url);
    response.end('answer to ' + request.url);
    console.log('answered', request.url);
  });
  const head = { method: 'GET', httpVersion: '1.1', httpVersionMajor: 1 };
  const bare = () => ({ setHeader() {}, end() {} });
  const madeUp = () => {
    const withoutSocket = Object.assign(new IncomingMessage(null), { method: 'GET', url: '/without-socket' });
    const readable = Object.assign(new Readable({ read() {} }), { ...head, url: '/readable', socket: {} });
    const emitter = Object.assign(new EventEmitter(), { ...head, url: '/emitter', headers: {} });
    const writable = Object.assign(new Writable({ write(chunk, encoding, done) { done(); } }), bare());
    return [
      [withoutSocket, new ServerResponse(withoutSocket)],
      [readable, writable],
      [emitter, Object.assign(new EventEmitter(), bare())],
      [{ ...head, url: '/object' }, bare()],
    ];
  };
  const emitAll = () => { for (const messages of madeUp()) console.log(server.emit('request', ...messages)); };
  emitAll();
  server.listen(0, '127.0.0.1', async () => {
    await (await fetch('http://127.0.0.1:' + server.address().port + '/sent')).text(); // waits for the profiler
    emitAll();
    server.removeAllListeners('request').on('request', () => console.log('nothing'));
    server.emit('request');
    server.emit('request', {}, {});
    server.close();
  });`;

describe('requests injected by a test', () => {
  it('without a usable socket pass through unrecorded, as without the flag, and nothing is said about them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'made-up-'));
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
    writeFileSync(join(folder, 'program.cjs'), program);
    const run = (...flags: readonly string[]): { readonly stdout: string; readonly stderr: string } =>
      spawnSync(process.execPath, [...flags, 'program.cjs'], {
        cwd: folder,
        env: { PATH: process.env['PATH'], PROFILER_STORE: 'memory:' },
        encoding: 'utf8',
        timeout: 30_000,
      });
    try {
      const plain = run();
      const flagged = run('--import', resolve('dist/bundle/register.js'));
      assert.equal(plain.stdout.match(/answered \//g)?.length, 9);
      assert.equal(flagged.stdout, plain.stdout);
      assert.match(flagged.stderr, /^lookback: records of every request: \S+\n$/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('by light-my-request are recorded as complete, on a server and by Fastify', async () => {
    const server = createServer((request, response) => response.end(`answer to ${request.url}`));
    const attached = attach(server, { store: 'memory:' });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on a port
    const asked = await lightMyRequest(
      (request, response) => void server.emit('request', request, response),
      '/made-up',
    );
    assert.equal(asked.payload, 'answer to /made-up');
    const list = async (): Promise<string> =>
      (await fetch(`http://127.0.0.1:${port}/_profiler/search.json`)).text();
    await assertComplete(list, '/made-up');
    server.close();
    await attached.close();

    const app = fastify();
    await app.register(lookback, { store: 'memory:' });
    app.get('/injected', () => 'answer');
    assert.equal((await app.inject('/injected')).payload, 'answer');
    await assertComplete(async () => (await app.inject('/_profiler/search.json')).payload, '/injected');
    await app.close();
  });
});

/** Asserts that the only record of a path is of a complete response. */
async function assertComplete(list: () => Promise<string>, path: string): Promise<void> {
  let text = '';
  const [row, ...more] = await until(
    async () => {
      text = await list();
      const { rows } = JSON.parse(text) as { readonly rows: readonly Record<string, unknown>[] }; // our own JSON
      const found = rows.filter((one) => one['path'] === path);
      return found.length > 0 && found;
    },
    () => text.slice(0, 500),
  );
  assert.deepEqual(more, []);
  assert.deepEqual([row?.['status'], row?.['state']], [200, 'complete']);
  assert.ok(!JSON.stringify(row?.['findings']).includes('cut'));
}
