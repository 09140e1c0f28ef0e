import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import type { ProfileRecord } from 'lookback/profiler';
import { startProgram } from './flagged-program.js';

const up = `Number(process.env.PORT), '127.0.0.1', () => process.send('up')`;

async function recordsOf(text: string, paths: readonly string[]): Promise<readonly ProfileRecord[]> {
  const program = await startProgram({ name: 'app.cjs', text }, { isFlagged: true });
  try {
    const records: ProfileRecord[] = [];
    for (const path of paths) records.push(await (await program.ask(path)).record());
    return records;
  } finally {
    await program.close();
  }
}

describe('node --import lookback/register: programs with unusual structures', () => {
  it("an application with its own copies of Koa's methods, like Feathers: its errors and middleware are recorded", async () => {
    const records = await recordsOf(
      `
      const Koa = require('koa');
      const app = new Koa();
      for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(Koa.prototype)))
        if (name !== 'constructor') Object.defineProperty(app, name, property);
      app.use(async function outer(context, next) {
        try { await next(); } catch (error) { context.status = 500; context.body = error.message; }
      });
      app.use(async function inner() { throw new Error('boom'); });
      app.listen(${up});`,
      ['/first', '/second'],
    );
    for (const record of records) {
      assert.equal(record.exception?.errors[0]?.message, 'boom');
      const names = record.timeline.map(({ name }) => name);
      assert.deepEqual(
        names.filter((name) => name === 'outer' || name === 'inner'),
        ['outer', 'inner'],
      );
    }
  });

  it("a framework that the first request loads: that request's middleware and error are recorded", async () => {
    const records = await recordsOf(
      `
      const { createServer } = require('node:http');
      let answer;
      createServer((request, response) => {
        if (answer === undefined) {
          const Koa = require('koa');
          const app = new Koa();
          app.silent = true;
          app.use(async function first() { throw new Error('boom'); });
          answer = app.callback();
        }
        answer(request, response);
      }).listen(${up});`,
      ['/', '/'],
    );
    for (const record of records) {
      assert.equal(record.exception?.errors[0]?.message, 'boom');
      assert.ok(record.timeline.some(({ name }) => name === 'first'));
    }
  });

  for (const load of [`require('nodemailer')`, `(await import('nodemailer')).default`])
    it(`a library that the first request loads with ${load} is recorded from its first call on`, async () => {
      const records = await recordsOf(
        `
        const { createServer } = require('node:http');
        createServer(async (request, response) => {
          const mailer = ${load};
          await mailer.createTransport({ jsonTransport: true }).sendMail({ to: 'a@example.org', subject: 'hello', text: 'x' });
          response.end('sent');
        }).listen(${up});`,
        ['/', '/'],
      );
      for (const { sections } of records) {
        const { messages } = sections['mail'] as { messages: { subject: string; to: string[] }[] }; // the type that the collector stores
        assert.deepEqual(
          messages.map(({ subject, to }) => [subject, to]),
          [['hello', ['a@example.org']]],
        );
      }
    });

  it('a route never includes the host, even if baseUrl begins with it, as in Sails', async () => {
    const [record, mounted, both] = await recordsOf(
      `
      const express = require('express');
      const app = express(), api = express.Router();
      app.use((request, response, next) => {
        if (request.path.startsWith('/hello')) request.baseUrl = 'http://' + request.headers.host;
        next();
      });
      app.get('/hello/:name', (request, response) => response.json(request.params));
      app.get(['/swagger', '/explorer'], (request, response) => response.send('both'));
      app.get(/.*\\/all$/, (request, response) => response.send('all'));
      api.get('/items/:id', (request, response) => response.json(request.params));
      app.use('/api', api);
      app.listen(${up});`,
      ['/hello/bob', '/api/items/1', '/explorer'],
    );
    assert.equal(record?.route?.name, 'GET /hello/:name');
    assert.equal(mounted?.route?.name, 'GET /api/items/:id');
    assert.equal(both?.route?.name, 'GET /swagger, /explorer');
  });

  it('an outgoing call whose connection closes after the body is recorded as finished', async () => {
    const calls = [
      `{ agent: false }`,
      `{ headers: { connection: 'close' } }`,
      `{ agent: new http.Agent({ keepAlive: false }) }`,
      `{}`,
    ];
    const records = await recordsOf(
      `
      const http = require('node:http');
      const options = [${calls.join()}];
      const upstream = http.createServer((request, response) => { response.write('a'); setTimeout(() => response.end('b'), 30); });
      upstream.listen(0, '127.0.0.1', () => http.createServer((request, response) => {
        const { port } = upstream.address();
        http.get({ port, host: '127.0.0.1', ...options[request.url.slice(1)] }, (answer) => answer.pipe(response));
      }).listen(${up}));`,
      calls.map((_, at) => `/${at}`),
    );
    for (const [at, { sections }] of records.entries()) {
      const { calls: made = [] } = sections['http'] as { calls?: { isOpen: boolean; bytes?: number }[] }; // the type that the collector stores
      assert.deepEqual(
        made.map(({ isOpen }) => isOpen),
        [false],
        calls[at],
      );
    }
  });

  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)
    it(`tsx watch exits with ${code} on ${signal}, as without the flag`, async () => {
      const flag = { NODE_OPTIONS: `--import ${resolve('dist/bundle/register.js')}` };
      // tsx installs its signal handler before the program listens, lookback before it prints the URL of the records. Without the flag, a
      // signal sent right after the program listens may arrive before tsx knows the process, which then exits with 0.
      assert.ok([code, 0].includes((await endWatch(signal, 'listening', {})) ?? -1), 'without it');
      assert.equal(await endWatch(signal, 'records of every request', flag), code, 'with it');
    });
});

/** Sends a signal to `tsx watch` once it has printed this text, and returns its exit code. */
async function endWatch(
  signal: NodeJS.Signals,
  words: string,
  env: Readonly<Record<string, string>>,
): Promise<number | null> {
  const folder = mkdtempSync(join(tmpdir(), 'tsx-'));
  try {
    writeFileSync(
      join(folder, 'app.ts'),
      `import { createServer } from 'node:http';
       createServer((request, response) => response.end('ok')).listen(0, () => console.log('listening'));`,
    );
    const child = spawn(process.execPath, [resolve('node_modules/tsx/dist/cli.mjs'), 'watch', 'app.ts'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], PROFILER_STORE: 'memory:', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await new Promise<void>((said) => {
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => String(chunk).includes(words) && said());
    });
    child.kill(signal);
    const [code] = (await once(child, 'exit')) as [number | null]; // the arguments of Node's event
    return code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
