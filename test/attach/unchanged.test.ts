import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { freePort } from '../free-port.js';
import { writeManifest } from './flagged-program.js';

/** The output, exit status and signal of a finished program. */
interface Ended {
  readonly port: number;
  readonly out: string;
  readonly err: string;
  readonly code: number | null;
  readonly signal: string | null;
}

const register = resolve('dist/bundle/register.js');
const required = resolve('dist/bundle/register.cjs');
const flag = ['--import', register];

describe('a program that runs with the flag', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'unchanged-'));
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
    writeManifest(folder);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs a program that ends by itself. */
  const run = async (
    text: string,
    { name = 'program.cjs', flags = flag, env = {} }: Partial<Options> = {},
  ): Promise<Ended> => {
    writeFileSync(join(folder, name), text);
    const port = await freePort();
    const child = spawn(process.execPath, [...flags, name], {
      cwd: folder,
      env: { PATH: process.env['PATH'], PORT: String(port), PROFILER_STORE: 'memory:', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk) => (out += String(chunk)));
    child.stderr.on('data', (chunk) => (err += String(chunk)));
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null]; // the arguments of the event
    return { port, out, err, code, signal };
  };
  interface Options {
    readonly name: string;
    readonly flags: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  }

  const throwing = `
    server.listen(Number(process.env.PORT), '127.0.0.1', () => {
      require('http').get({ port: process.env.PORT, host: '127.0.0.1' }).on('error', () => {});
    });`;
  it('prints the same line and stack for an uncaught exception as without it', async () => {
    const server = `const server = require('http').createServer(() => { throw new Error('by the application'); });`;
    const { err, code } = await run(server + throwing);
    assert.equal(code, 1);
    assert.match(err, /program\.cjs:1\n.*throw new Error\('by the application'\)/);
    assert.match(err, /Error: by the application\n +at .*program\.cjs:1:/);
    assert.doesNotMatch(err, /throw error;/);
  });

  it('answers even if timers are mocked before it listens', async () => {
    const { out } = await run(`
      require('node:test').mock.timers.enable();
      const server = require('http').createServer((request, response) => response.end('hello'));
      server.listen(Number(process.env.PORT), '127.0.0.1', () => {
        require('http').get({ port: process.env.PORT, host: '127.0.0.1', agent: false }, (response) => {
          console.log(response.statusCode);
          process.exit();
        });
      });`);
    assert.match(out, /200/);
  });

  it('ends by a signal that it sends to itself again after cleaning up', async () => {
    const { code, signal } = await run(`
      const server = require('http').createServer((request, response) => response.end('hello'));
      process.once('SIGTERM', () => server.close(() => process.kill(process.pid, 'SIGTERM')));
      server.listen(Number(process.env.PORT), '127.0.0.1', () => {
        require('http').get({ port: process.env.PORT, host: '127.0.0.1', agent: false }, (response) => {
          response.resume().on('end', () => process.kill(process.pid, 'SIGTERM'));
        });
      });`);
    assert.deepEqual([code, signal], [null, 'SIGTERM']);
  });

  it('finds no address for a client that is gone', async () => {
    const { out } = await run(`
      const server = require('http').createServer((request) => {
        request.socket.on('close', () => {
          console.log('address: ' + request.socket.remoteAddress);
          process.exit();
        });
        request.socket.destroy();
      });
      server.listen(Number(process.env.PORT), '127.0.0.1', () => {
        require('http').get({ port: process.env.PORT, host: '127.0.0.1' }).on('error', () => {});
      });`);
    assert.match(out, /address: undefined/);
  });

  const asking = `
    const server = createServer((request, response) => response.end('hello'));
    server.listen(Number(process.env.PORT), '127.0.0.1', async () => {
      for (const path of ['/first', '/second']) await (await fetch('http://127.0.0.1:' + process.env.PORT + path)).text();
      const list = await fetch('http://127.0.0.1:' + process.env.PORT + '/_profiler/search.json');
      console.log(await list.text());
      process.exit();
    });`;
  // Like New Relic's agent: replaces the emit method of the class and of each message, and calls the previous ones.
  const agent = `
    const { Server } = require('http');
    const emit = Server.prototype.emit;
    Server.prototype.emit = function (event, ...args) {
      if (event === 'request') for (const message of args) {
        const own = message.emit;
        message.emit = function (...given) { return own.apply(this, given); };
      }
      return emit.apply(this, [event, ...args]);
    };`;
  for (const [order, flags] of [
    ['before', ['-r', './agent.cjs', ...flag]],
    ['after', [...flag, '--import', './agent.cjs']],
  ] as const)
    it(`is recorded, its first request too, if an agent has replaced emit ${order} lookback`, async () => {
      writeFileSync(join(folder, 'agent.cjs'), agent);
      const { out, err } = await run(`const { createServer } = require('http');${asking}`, { flags });
      const { rows } = JSON.parse(out) as { rows: { path: string; state: string }[] }; // our own JSON
      const states = rows.map(({ path, state }) => `${path} ${state}`);
      assert.deepEqual(states.toSorted(), ['/first complete', '/second complete'], err);
      assert.doesNotMatch(err, /not recording/);
    });

  it('reports in one line that a server bypasses lookback when it emits requests', async () => {
    const { err } = await run(`
      const { createServer } = require('http');
      const { EventEmitter } = require('events');
      const own = createServer;
      require('http').createServer = (...args) => Object.assign(own(...args), { emit: EventEmitter.prototype.emit });
      ${asking.replaceAll('createServer(', "require('http').createServer(")}`);
    assert.equal(err.match(/lookback: not recording: /g)?.length, 1, err);
  });

  it('reports nothing if the program has attached the profiler to its server itself, and records each request once', async () => {
    const text = `
      import http from 'http';
      import { attach } from ${JSON.stringify(pathToFileURL(resolve('dist/bundle/attach.js')).href)};
      const createServer = (...args) => {
        const server = http.createServer(...args);
        attach(server);
        return server;
      };${asking}`;
    const { out, err } = await run(text, { name: 'attached.mjs' });
    assert.equal(out.match(/"path":"\/first"/g)?.length, 1, out);
    assert.equal(err, '');
  });

  it('says why nothing is recorded if the program itself sets NODE_ENV', async () => {
    const { err } = await run(`
      process.env.NODE_ENV ??= 'production';
      const { createServer } = require('http');${asking}`);
    assert.equal(err, 'lookback: not recording: NODE_ENV is production; set LOOKBACK=on\n');
  });

  it('names the variable with a bad value, and answers without records', async () => {
    const { out, err } = await run(`const { createServer } = require('http');${asking}`, {
      env: { PROFILER_MAX_RECORDS: 'many' },
    });
    assert.match(out, /hello/);
    assert.match(err, /^lookback: not recording: PROFILER_MAX_RECORDS is "many"\..*\n$/);
  });

  it('prints the address of each server, so that a metrics port does not hide the application', async () => {
    const metrics = await freePort();
    const { err, port } = await run(
      `const { createServer } = require('http');
       createServer().listen(Number(process.env.METRICS), '127.0.0.1');${asking}`,
      { env: { METRICS: String(metrics) } },
    );
    for (const one of [metrics, port])
      assert.match(err, new RegExp(`records of every request: http://localhost:${one}/_profiler/`));
  });

  for (const [name, flags] of [
    ['plain.cjs', ['-r', required]],
    ['typed.ts', ['--import', 'tsx', '-r', required]],
  ] as const)
    it(`is recorded with -r lookback/register: ${name}`, async () => {
      const type = name.endsWith('.ts') ? ': number' : '';
      const text = `const port${type} = 1; void port; const { createServer } = require('http');${asking}`;
      const { out, err } = await run(text, { flags, name });
      assert.match(out, /"url":"[^"]*\/second"/, err);
    });
});
