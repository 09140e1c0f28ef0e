import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';

// The token of the very first response of a process, before there was time to reserve ids: on an idle machine, and on one whose CPUs are
// busy with other threads.

const serving = {
  'createApp, which listens': `
    import { createApp } from 'lookback';
    const app = createApp({ logHandlers: [] });
    app.get('/', () => 'page');
    const { url } = await app.listen({ port: 0 });
    await report((path) => fetch(url + path));`,
  'createApp, by fetch': `
    import { createApp } from 'lookback';
    const app = createApp({ logHandlers: [] });
    app.get('/', () => 'page');
    await report((path) => app.fetch(path, { peer: { address: '127.0.0.1' } }));`,
  'a server under the flag': `
    import { createServer } from 'node:http';
    await reportOn(createServer((request, response) => response.end('page')));`,
  'a server with attach': `
    import { createServer } from 'node:http';
    import { attach } from 'lookback/attach';
    const server = createServer((request, response) => response.end('page'));
    attach(server);
    await reportOn(server);`,
  'an attached server that already listens': `
    import { createServer } from 'node:http';
    import { attach } from 'lookback/attach';
    const server = createServer((request, response) => response.end('page'));
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    attach(server);
    await report((path) => fetch('http://127.0.0.1:' + server.address().port + path));`,
  Express: `
    import express from 'express';
    import { createServer } from 'node:http';
    import { lookback } from 'lookback/express';
    const app = express();
    app.use(lookback());
    app.get('/', (request, response) => response.send('page'));
    await reportOn(createServer(app));`,
  Koa: `
    import Koa from 'koa';
    import { createServer } from 'node:http';
    import { lookback } from 'lookback/koa';
    const app = new Koa();
    app.use(lookback());
    app.use((context) => { context.body = 'page'; });
    await reportOn(createServer(app.callback()));`,
  Hono: `
    import { Hono } from 'hono';
    import { getRequestListener } from '@hono/node-server';
    import { createServer } from 'node:http';
    import { lookback } from 'lookback/hono';
    const app = new Hono();
    app.use(lookback());
    app.get('/', (context) => context.text('page'));
    await reportOn(createServer(getRequestListener(app.fetch)));`,
  h3: `
    import { H3 } from 'h3';
    import { toNodeHandler } from 'h3/node';
    import { createServer } from 'node:http';
    import { lookback } from 'lookback/h3';
    const app = new H3();
    app.use(lookback());
    app.get('/', () => 'page');
    await reportOn(createServer(toNodeHandler(app)));`,
  Fastify: `
    import Fastify from 'fastify';
    import { lookback } from 'lookback/fastify';
    const app = Fastify();
    app.register(lookback());
    app.get('/', async () => 'page');
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    await report((path) => fetch(url + path));`,
} as const;

/** Sends the first requests simultaneously, reports the responses, and ends. */
const reporting = `
import { Worker } from 'node:worker_threads';
for (let count = 0; count < Number(process.env.BUSY); count++)
  new Worker('for (;;) Math.sqrt(Math.random())', { eval: true });
const report = async (ask) => {
  const answers = await Promise.all(['/?1', '/?2', '/?3'].map(ask));
  const field = (name) => answers.map(({ headers }) => headers.get(name));
  console.log(JSON.stringify({ tokens: field('x-debug-token'), links: field('x-debug-token-link') }));
  process.exit(0);
};
const reportOn = async (server) => {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  await report((path) => fetch('http://127.0.0.1:' + server.address().port + path));
};
`;

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'first-tokens-'));
  mkdirSync(join(folder, 'node_modules'));
  for (const name of ['express', 'koa', 'hono', '@hono', 'h3', 'fastify', '@photostructure', 'pg'])
    symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name));
  copyPackage(folder);
});
after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

/** The package alone, because a program resolves only the packages next to it. */
function copyPackage(to: string): void {
  for (const part of ['package.json', 'dist/bundle'])
    cpSync(resolve(part), join(to, 'node_modules/lookback', part), { recursive: true });
}

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
}

async function run(
  program: string,
  {
    variables = {},
    flags = [],
    cwd = folder,
  }: { variables?: Record<string, string>; flags?: readonly string[]; cwd?: string } = {},
): Promise<Ended> {
  const state = mkdtempSync(join(tmpdir(), 'first-tokens-state-'));
  const file = join(cwd, `${basename(state)}.mjs`); // others may run at the same time
  writeFileSync(file, `${reporting}\n${program}`);
  const child = spawn(process.execPath, [...flags, file], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      XDG_STATE_HOME: state,
      PROFILER_STORE: `sqlite:${state}/own.db`,
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  await once(child, 'close');
  for (const path of [state, file]) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  return { stdout, stderr };
}

interface Reported {
  readonly tokens: readonly (string | null)[];
  readonly links: readonly (string | null)[];
}

function readReport({ stdout, stderr }: Ended): Reported {
  const line = stdout.split('\n').find((one) => one.startsWith('{'));
  assert.ok(line !== undefined, `${stdout}\n${stderr}`);
  return JSON.parse(line) as Reported; // printed by the program above
}

const flagsOf = (name: string): readonly string[] =>
  name.includes('flag') ? ['--import', 'lookback/register'] : [];

/** For each of three programs at a time, so that there are more threads that compute than processors, up to four. */
const busyThreads = availableParallelism() > 2 ? 2 : 1;

const names = Object.keys(serving) as (keyof typeof serving)[]; // it has no others

async function assertShortTokens(name: keyof typeof serving, threads: number): Promise<void> {
  const ended = await run(serving[name], { variables: { BUSY: String(threads) }, flags: flagsOf(name) });
  const { tokens, links } = readReport(ended);
  for (const [index, token] of tokens.entries()) {
    assert.match(token ?? '', /^[0-9a-f]{6}$/, JSON.stringify(tokens));
    assert.ok(links[index]?.endsWith(`/_profiler/${token}`), String(links[index]));
  }
  assert.equal(new Set(tokens).size, 3);
}

describe("a process's first tokens", () => {
  // One program is enough: a busy machine gives the store less time.
  it('have six hexadecimal digits: createApp, which listens, on an idle machine', () =>
    assertShortTokens('createApp, which listens', 0));

  describe('on a busy machine', { concurrency: 3 }, () => {
    for (const name of names)
      it(`have six hexadecimal digits: ${name}`, () => assertShortTokens(name, busyThreads));
  });

  it('do not delay a process whose store hangs', async () => {
    const silent = createServer(() => undefined);
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo; // it listens on a port
    const variables = { BUSY: '0', PROFILER_STORE: `postgres://nobody@127.0.0.1:${port}/records` };
    const kinds = ['createApp, which listens', 'a server under the flag', 'a server with attach'] as const;
    const ends = kinds.map(async (name) => run(serving[name], { variables, flags: flagsOf(name) }));
    for (const ended of await Promise.all(ends))
      for (const token of readReport(ended).tokens) assert.match(token ?? '', /^[0-9a-f]{12}$/);
    silent.close();
  });
});

describe('a process that records nothing, because there is no SQLite', () => {
  let bare: string;
  before(() => {
    bare = mkdtempSync(join(tmpdir(), 'no-sqlite-'));
    copyPackage(bare);
  });
  after(() => rmSync(bare, { recursive: true, force: true, maxRetries: 5 }));

  const listens = `
    import { createApp, serve } from 'lookback';
    await serve(() => {
      const app = createApp({ configuration: { port: 0 } });
      app.get('/', () => 'page');
      const { listen } = app;
      return { ...app, listen: async () => {
        const server = await listen();
        setTimeout(() => void report((path) => fetch(server.url + path)));
        return server;
      } };
    });`;

  for (const [name, program] of [
    ['a server under the flag', serving['a server under the flag']],
    ['a server with attach', serving['a server with attach']],
    ['serve', listens],
    ['createApp, which listens', serving['createApp, which listens'].replace('{ logHandlers: [] }', '')],
    ['createApp, by fetch', serving['createApp, by fetch'].replace('{ logHandlers: [] }', '')],
  ] as const)
    it(`sends no token and prints no URL, and says once why: ${name}`, async (test) => {
      if (process.getBuiltinModule('node:sqlite') !== undefined) return test.skip('this Node has SQLite');
      const ended = await run(program, { cwd: bare, flags: flagsOf(name), variables: { BUSY: '0' } });
      const { tokens, links } = readReport(ended);
      assert.deepEqual(
        [tokens, links],
        [
          [null, null, null],
          [null, null, null],
        ],
      );
      const said = ended.stdout + ended.stderr;
      assert.doesNotMatch(said, /_profiler/);
      assert.equal(said.split('PROFILER_STORE_DRIVER').length, 2, said);
      assert.match(said, /nothing is recorded/);
      return undefined;
    });

  it('sends tokens for records kept in memory, and says what is missing', async (test) => {
    if (process.getBuiltinModule('node:sqlite') !== undefined) return test.skip('this Node has SQLite');
    const program = `
      import { createApp } from 'lookback';
      const app = createApp();
      app.get('/', () => 'page');
      const local = { peer: { address: '127.0.0.1' } };
      const [tokens, links] = [[], []];
      for (const path of ['/?1', '/?2', '/?3']) {
        const { headers } = await app.fetch(path, local);
        const token = headers.get('x-debug-token');
        const record = await app.fetch('/_profiler/' + token + '.json', local);
        tokens.push(token);
        links.push(record.status + ' ' + (await record.json()).request.target);
      }
      const list = await (await app.fetch('/_profiler/', { ...local, headers: { Accept: 'text/html' } })).text();
      console.log(JSON.stringify({ tokens, links: [...links, tokens.every((token) => list.includes(token))] }));
      process.exit(0);`;
    const ended = await run(program, { cwd: bare, variables: { BUSY: '0', PROFILER_STORE: 'memory:' } });
    const { tokens, links } = readReport(ended);
    for (const token of tokens) assert.match(token ?? '', /^[0-9a-f]{6}$/);
    assert.deepEqual(links, ['200 /?1', '200 /?2', '200 /?3', true]);
    assert.match(
      ended.stderr,
      /PROFILER_STORE_DRIVER: .* only the latest records are kept, and cannot be searched\./,
    );
    return undefined;
  });
});
