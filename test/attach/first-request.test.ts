import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { createProfiler, type ProfileRecord } from 'lookback/profiler';
import { writeManifest } from './flagged-program.js';

/** Counts the threads that were started and the lists of scripts that V8's inspector was asked for. */
const counting = `
const { get } = require('node:http');
const { Session } = require('node:inspector');
const express = require('express');
let [threads, lists] = [0, 0];
process.on('worker', () => threads++);
const { post } = Session.prototype;
Session.prototype.post = function (method, ...rest) {
  if (method === 'Debugger.enable') lists++;
  return post.call(this, method, ...rest);
};
const app = express();
const ask = (server, path) => new Promise((resolve) => get({ port: server.address().port, path, agent: false }, (answer) => {
  answer.resume().on('end', () => resolve(answer.headers['x-debug-token']));
}));`;

const atOnce = `${counting}
const seen = {};
app.get('/', function first(request, response) {
  Object.assign(seen, { threads, lists });
  response.json({ ok: true });
});
const server = app.listen(0, '127.0.0.1', async () => {
  seen.token = await ask(server, '/');
  console.log(JSON.stringify(seen));
  END
});`;

const afterAWhile = `${counting}
app.get('/', (request, response) => {
  const order = { id: 7 };
  throw new Error('no order');
});
app.use((error, request, response, next) => response.status(500).end());
const server = app.listen(0, '127.0.0.1');
process.once('worker', async () => {
  console.log(JSON.stringify({ threads: 1, lists, token: await ask(server, '/') }));
  process.exit();
});`;

describe('the first request under the flag', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'first-request-'));
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    writeManifest(folder, counting);
  });
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  async function run(
    name: string,
    program: string,
  ): Promise<{ readonly threads: number; readonly lists: number; readonly record: ProfileRecord }> {
    writeFileSync(join(folder, `${name}.cjs`), program);
    const store = `sqlite:${join(folder, `${name}.db`)}`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', resolve('dist/bundle/register.js'), `${name}.cjs`],
      { cwd: folder, env: { PATH: process.env['PATH'], PROFILER_STORE: store } },
    ).catch((error: { code?: unknown; signal?: unknown; stdout: string; stderr: string }) => {
      assert.equal(error.signal, 'SIGTERM', error.stderr); // that is how one of the programs ends
      return error;
    });
    const { threads, lists, token } = JSON.parse(stdout) as { threads: number; lists: number; token: string };
    assert.match(token, /^[\da-f]{6}$/);
    const profiler = createProfiler({ store });
    try {
      const found = await profiler.find(token);
      assert.ok(found.kind === 'found', found.kind);
      return { threads, lists, record: found.record };
    } finally {
      await profiler.close();
    }
  }

  for (const [name, end] of [
    ['exit', 'process.exit(0);'],
    ['signal', "process.kill(process.pid, 'SIGTERM');"],
    ['error', "process.on('uncaughtException', () => process.exit(0)); throw new Error('after the answer');"],
    ['end', 'server.close();'],
  ] as const)
    it(`needs no thread and no inspector if it comes at once, and its record is complete after the ${name} at once`, async () => {
      const { threads, lists, record } = await run(name, atOnce.replace('END', end));
      assert.deepEqual([threads, lists], [0, 0]);
      assert.deepEqual(
        [record.state, record.response?.status, record.route?.path, record.controller?.name],
        ['complete', 200, '/', 'first'],
      );
      assert.match(record.controller?.file ?? '', new RegExp(`${name}\\.cjs$`));
      assert.equal(record.controller?.line, 17);
    });

  it('has the local variables of its error if the process was quiet before', async () => {
    const { lists, record } = await run('quiet', afterAWhile);
    assert.equal(lists, 1);
    const [frame] = record.exception?.errors[0]?.frames ?? [];
    assert.match(JSON.stringify(frame?.locals ?? null), /order.*7/);
  });
});
