import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';

const program = `
const http = require('http');
const { AsyncLocalStorage } = require('async_hooks');
const kept = new Map();
const own = new AsyncLocalStorage();
const server = http.createServer((request, response) => {
  const state = {};
  kept.set(request.url, [request, response, state].map((one) => new WeakRef(one)));
  own.run(state, () => response.end('hello'));
});
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
server.listen(0, '127.0.0.1', async () => {
  const ask = (path) => new Promise((done) => {
    const options = { port: server.address().port, host: '127.0.0.1', path, agent: false };
    http.get(options, (response) => response.resume().on('end', done));
  });
  for (const path of ['/first', '/second', '/last']) await ask(path);
  let left;
  for (let round = 0; round < 100; round++) {
    await pause(50); // a WeakRef that was read keeps its object until the end of the turn
    gc();
    left = [...kept].filter(([, refs]) => refs.some((one) => one.deref() !== undefined)).map(([path]) => path);
    if (left.length === 0) break;
  }
  console.log(JSON.stringify(left));
  process.exit();
});`;

describe('request objects under the flag', () => {
  const folder = mkdtempSync(join(tmpdir(), 'released-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const store of ['memory:', `sqlite:${join(folder, 'records.db')}`])
    it(`are released when the request is over, including the first and the last one: ${store.split(':')[0]}`, () => {
      const file = join(folder, 'program.cjs');
      writeFileSync(file, program);
      const flags = ['--expose-gc', '--import', resolve('dist/bundle/register.js'), file];
      const env = { PATH: process.env['PATH'], PROFILER_STORE: store };
      const { stdout, stderr } = spawnSync(process.execPath, flags, { env, encoding: 'utf8' });
      assert.equal(stdout, '[]\n', stderr);
    });
});
