import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import type { ProfileRecord } from 'lookback/profiler';
import { freePort } from '../free-port.js';
import { until } from '../until.js';
import { writeManifest } from './flagged-program.js';

const root = resolve('.');
const tls = `{ key: readFileSync(${JSON.stringify(join(root, 'test/fixtures/tls/key.pem'))}), cert: readFileSync(${JSON.stringify(join(root, 'test/fixtures/tls/cert.pem'))}) }`;
const count = 100;

/** Programs without any lookback code: each answers /items/ID late, and then logs it. */
const programs = {
  'Express 4 in two cluster workers': {
    name: 'express.cjs',
    origin: 'http://127.0.0.1',
    route: '/api/items/:id',
    text: `
      const cluster = require('cluster');
      if (cluster.isPrimary) {
        let up = 0;
        cluster.on('listening', () => { if (++up === 2) process.send('up'); });
        for (let i = 0; i < 2; i++) cluster.fork();
        process.on('disconnect', () => { for (const worker of Object.values(cluster.workers)) worker.kill('SIGKILL'); process.exit(); });
      } else {
        const express = require('express4'), app = express(), api = express.Router();
        api.all('/items/:id', express.json(), async (request, response) => {
          await new Promise((done) => setTimeout(done, request.params.id % 7));
          console.log('n' + request.params.id);
          response.json({ id: request.params.id, body: request.body });
        });
        app.use('/api', api);
        app.listen(Number(process.env.PORT));
      }`,
  },
  'Fastify over HTTP/2 that asks a worker thread': {
    name: 'fastify.mjs',
    origin: 'https://localhost',
    route: '/api/items/:id',
    text: `
      import { readFileSync } from 'node:fs';
      import { isMainThread, parentPort, Worker } from 'node:worker_threads';
      import fastify from 'fastify';
      if (isMainThread) {
        const worker = new Worker(new URL(import.meta.url)), waiting = new Map();
        worker.on('message', (id) => waiting.get(id)());
        const app = fastify({ http2: true, https: ${tls} });
        app.all('/api/items/:id', async ({ params: { id }, body }) => {
          await new Promise((done) => { waiting.set(id, done); worker.postMessage(id); });
          console.log('n' + id);
          return { id, body };
        });
        await app.listen({ port: Number(process.env.PORT) });
        process.send('up');
      } else parentPort.on('message', (id) => parentPort.postMessage(id));`,
  },
  'an HTTP/2 server with streams and trailers': {
    name: 'http2.mjs',
    origin: 'https://localhost',
    route: undefined,
    text: `
      import { createSecureServer } from 'node:http2';
      import { readFileSync } from 'node:fs';
      createSecureServer({ ...${tls}, allowHTTP1: true }, async (request, response) => {
        const id = /\\d+$/.exec(request.url)[0];
        let body = '';
        for await (const chunk of request) body += chunk;
        await new Promise((done) => setTimeout(done, id % 5));
        console.log('n' + id);
        response.writeHead(200, { 'content-type': 'application/json', trailer: 'x-sum' });
        response.write('{"id":"' + id + '"');
        response.addTrailers({ 'x-sum': id });
        response.end(body === '' ? '}' : ',"body":' + body + '}');
      }).listen(Number(process.env.PORT), () => process.send('up'));`,
  },
};

interface Answer {
  readonly token: string;
  readonly text: string;
}
type Ask = (path: string, body?: string) => Promise<Answer>;

/** Uses HTTP/2 if the server speaks it, because Node's fetch does not. */
async function openClient(origin: string): Promise<{ ask: Ask; close: () => void }> {
  if (!origin.startsWith('https:'))
    return {
      async ask(path, body) {
        const headers = body === undefined ? {} : { 'content-type': 'application/json' };
        const response = await fetch(
          origin + path,
          body === undefined ? {} : { method: 'POST', headers, body },
        );
        return { token: response.headers.get('x-debug-token') ?? '', text: await response.text() };
      },
      close: () => undefined,
    };
  const session = connect(origin, { rejectUnauthorized: false });
  await once(session, 'connect');
  const ask: Ask = async (path, body) => {
    const sending = { ':method': 'POST', 'content-type': 'application/json' };
    const stream = session.request({ ':path': path, ...(body === undefined ? {} : sending) });
    let token = '';
    stream.on('response', (headers) => (token = String(headers['x-debug-token'])));
    stream.end(body);
    let text = '';
    for await (const chunk of stream) text += String(chunk);
    return { token, text };
  };
  return { ask, close: () => session.close() };
}

describe('programs under --import lookback/register', () => {
  for (const [what, { name, origin, route, text }] of Object.entries(programs))
    it(`${what}: no data of ${count} concurrent requests appears in another request's record`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'flagged-'));
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
      writeFileSync(join(folder, name), text);
      writeManifest(folder, text);
      const port = await freePort();
      const child = spawn(process.execPath, ['--import', join(root, 'dist/bundle/register.js'), name], {
        cwd: folder,
        env: { PATH: process.env['PATH'], PORT: String(port) },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      try {
        await once(child, 'message');
        const { ask, close } = await openClient(`${origin}:${port}`);
        const answers = await Promise.all(
          Array.from({ length: count }, async (_, index) => {
            const body = index % 3 === 0 ? `{"name":"b${index}"}` : undefined;
            return { index, body, ...(await ask(`/api/items/${index}`, body)) };
          }),
        );
        assert.equal(new Set(answers.map(({ token }) => token)).size, count);
        for (const { index, body, token, text: answer } of answers.filter((one) => one.index % 10 < 2)) {
          const record = await recordOf(ask, token);
          assert.equal(record.request.target, `/api/items/${index}`);
          assert.equal(record.request.body?.content, body);
          assert.equal(record.response?.body?.content, answer);
          assert.equal(record.route?.path, route);
          assert.deepEqual(
            record.logs.map(({ message }) => message),
            [`n${index}`],
          );
        }
        close();
      } finally {
        const exit = once(child, 'exit');
        if (name === 'express.cjs') child.disconnect();
        else child.kill('SIGKILL');
        await exit;
        rmSync(folder, { recursive: true, force: true });
      }
    });
});

/** The record closes with the connection, and other workers find it once it is written. */
async function recordOf(ask: Ask, token: string): Promise<ProfileRecord> {
  let text = '';
  return until(
    async () => {
      ({ text } = await ask(`/_profiler/${token}.json`));
      return text.includes('"state":"complete"') && (JSON.parse(text) as ProfileRecord); // our own JSON
    },
    () => text.slice(0, 500),
  );
}
