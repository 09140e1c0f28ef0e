import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, describe, it } from 'node:test';
import { DatabaseSync } from '@photostructure/sqlite';
import { readRecords, startProgram } from './child-program.js';
import { until } from '../until.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-end-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newPath = (): string => join(folder, `${files++}.db`);
const listenOnly = new URL('./listen-only.js', import.meta.url);
const serveSlowly = new URL('./serve-slowly.js', import.meta.url);
const askItself = new URL('./ask-itself.js', import.meta.url);
const address = /http:\/\/127\.0\.0\.1:\d+(?=\D)/;

describe('an application that listens without serve', () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const) {
    it(`ends by ${signal} as without records, and every record is stored, including unfinished ones`, async () => {
      const path = newPath();
      const program = startProgram(listenOnly, [], { PROFILER_STORE: `sqlite:${path}` });
      const url = await program.said(address);
      fetch(`${url}/hang`).catch(() => undefined);
      for (let count = 0; count < 5; count++) await (await fetch(url)).text();
      program.kill(signal);
      const { code, signal: by } = await program.ended;
      assert.deepEqual([code, by], [null, signal]);
      const states = (await readRecords(path)).map(({ state }) => state);
      assert.deepEqual(states.toSorted(), [...Array(5).fill('complete'), 'unfinished']);
    });
  }

  it('attributes an error that ends it to the request that caused it, even from a timer after the response', async () => {
    const path = newPath();
    const program = startProgram(listenOnly, [], { PROFILER_STORE: `sqlite:${path}` });
    const url = await program.said(address);
    await (await fetch(url)).text();
    await (await fetch(`${url}/throw-later`)).text();
    const { code, printed } = await program.ended;
    assert.deepEqual([code, /thrown in a timer/.test(printed)], [1, true]);
    assert.deepEqual(
      (await readRecords(path)).map(({ request, exception }) => [request.path, exception?.message]),
      [
        ['/throw-later', 'thrown in a timer'],
        ['/', undefined],
      ],
    );
  });

  it("exits with its own code while another process holds the store's lock, for which a write waits", async () => {
    const path = newPath();
    const program = startProgram(listenOnly, [], { PROFILER_STORE: `sqlite:${path}` });
    const url = await program.said(address);
    await (await fetch(url)).text();
    await until(() => existsSync(`${path}-wal`), 'the store');
    const other = new DatabaseSync(path);
    other.exec('PRAGMA busy_timeout = 10000; BEGIN IMMEDIATE');
    await (await fetch(url)).text();
    await sleep(1000); // while the write waits for two seconds
    await (await fetch(`${url}/throw-later`)).text();
    const { code, signal, printed } = await program.ended;
    other.close();
    assert.deepEqual([code, signal], [1, null], printed);
  });

  it('leaves a signal to the application if it handles it, and stores its records immediately', async () => {
    const path = newPath();
    const program = startProgram(listenOnly, ['own'], { PROFILER_STORE: `sqlite:${path}` });
    const url = await program.said(address);
    await (await fetch(url)).text();
    program.kill('SIGTERM');
    await program.said(/heard/);
    program.kill('SIGKILL'); // nothing is left to write
    await program.ended;
    assert.equal((await readRecords(path)).length, 1);
  });

  it('ends by a signal that only the profiler handles, even after a dozen that the application handled', async () => {
    const program = startProgram(listenOnly, ['own'], { PROFILER_STORE: 'memory:' });
    const url = await program.said(address);
    for (let times = 1; times <= 12; times++) {
      program.kill('SIGTERM');
      await program.said(new RegExp(`(?:heard\\s+){${times}}`));
      await (await fetch(url)).text(); // it continues
    }
    program.kill('SIGINT');
    const { signal, printed } = await program.ended;
    assert.equal(signal, 'SIGINT');
    assert.doesNotMatch(printed, /MaxListeners/);
  });

  it('is ended by a package that ends the process only if nothing else handles the signal', async () => {
    const path = newPath();
    const program = startProgram(listenOnly, ['polite'], { PROFILER_STORE: `sqlite:${path}` });
    await (await fetch(await program.said(address))).text();
    program.kill('SIGTERM');
    assert.equal((await program.ended).signal, 'SIGTERM');
    assert.equal((await readRecords(path)).length, 1);
  });
});

describe('a repeated signal', () => {
  it('counts once if it follows immediately: requests in flight are answered, and every record is stored', async () => {
    const path = newPath();
    const program = startProgram(serveSlowly, [], { PROFILER_STORE: `sqlite:${path}` });
    const url = await program.said(address);
    for (let count = 0; count < 10; count++) await (await fetch(url)).text();
    const slow = fetch(`${url}/slow`);
    await program.said(/begun/);
    program.kill('SIGINT');
    await sleep(5); // signals sent at the same moment reach a process as one
    program.kill('SIGINT');
    assert.equal(await (await slow).text(), 'slow');
    const { code, printed } = await program.ended;
    assert.equal(code, 0, printed);
    assert.match(printed, /Records: 11 made = 11 stored/);
    assert.equal((await readRecords(path)).length, 11);
  });

  it('ends the program if it comes later, with every record stored', async () => {
    const path = newPath();
    const program = startProgram(serveSlowly, [], { PROFILER_STORE: `sqlite:${path}` });
    const url = await program.said(address);
    await (await fetch(url)).text();
    fetch(`${url}/hang`).catch(() => undefined);
    await program.said(/begun/);
    let end: { readonly code: number | null } | undefined;
    void program.ended.then((ended) => (end = ended));
    const { code } = await until(() => {
      program.kill('SIGTERM'); // within a second of the first, it counts as the same signal
      return end;
    }, 'the end of the program');
    assert.equal(code, 1);
    const states = (await readRecords(path)).map(({ state }) => state);
    assert.deepEqual(states, ['unfinished', 'complete']);
  });

  it('is not needed if a terminate listener never ends: the stop reports the records', async () => {
    const path = newPath();
    const program = startProgram(serveSlowly, [], { PROFILER_STORE: `sqlite:${path}` });
    const url = await program.said(address);
    await (await fetch(`${url}/late`)).text();
    program.kill('SIGTERM');
    const { code, printed } = await program.ended;
    assert.equal(code, 0);
    assert.match(printed, /Records: 1 made = 1 stored/);
  });
});

describe('process side effects of an application', () => {
  it('a process without free descriptors to read its memory use keeps serving', async () => {
    const program = startProgram(serveSlowly, ['no-descriptors'], { PROFILER_STORE: 'memory:' });
    const url = await program.said(address);
    await program.said(/(asked\n[^]*){3}/);
    assert.equal(await (await fetch(url)).text(), 'ok');
    program.kill('SIGTERM');
    const { code, printed } = await program.ended;
    assert.equal(code, 0, printed);
    assert.match(printed, /The profiler failed[^\n]*EMFILE/);
  });

  it('a test run keeps its records in memory, leaves no file and prints nothing', async () => {
    const cwd = mkdtempSync(join(folder, 'cwd-'));
    const program = startProgram(askItself, [], { NODE_ENV: 'test' }, cwd);
    const { code, printed } = await program.ended;
    assert.deepEqual([code, printed], [0, 'found\n']);
    assert.equal(existsSync(join(cwd, 'var')), false);
  });

  it('an application that is only created, for example to list its routes, opens no store', async () => {
    const cwd = mkdtempSync(join(folder, 'cwd-'));
    const program = startProgram(askItself, ['only-made'], {}, cwd);
    const { code, printed } = await program.ended;
    assert.deepEqual([code, printed], [0, '']);
    assert.equal(existsSync(join(cwd, 'var')), false);
  });
});
