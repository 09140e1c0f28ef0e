import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findPostgres } from '../profiler/store-servers.js';
import { runtimes, type Runtime } from './find-runtime.js';

/** All started processes; none of them outlives this file, even after failures. */
const children: ChildProcessWithoutNullStreams[] = [];
after(() => {
  for (const child of children) child.kill('SIGKILL');
});
/** The maximum time for a program to start or stop, in milliseconds; less than its grace period for unfinished requests. */
const longest = 30_000;

interface Served {
  readonly url: string;
  /** Stops the program as an operator would; returns the exit code. */
  stop(): Promise<unknown>;
}

/** Without the variables that tell a test runner that another one runs it. */
function testless(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => name !== 'NODE_TEST_CONTEXT'));
}

function serve(runtime: Runtime, ...args: string[]): Promise<Served> {
  return start(runtime, 'dist/test/runtimes/serve-app.js', ...args);
}

async function start({ command }: Runtime, path: string, ...args: string[]): Promise<Served> {
  assert.ok(command !== undefined);
  const [program, ...flags] = command;
  const child = spawn(program, [...flags, resolve(path), ...args], {
    env: { ...process.env, PROFILER_STORE: 'memory:', APP_ENV: 'dev' },
  });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  let url: string | undefined;
  const signal = AbortSignal.timeout(longest);
  while ((url = /^https?:\S+$/m.exec(output)?.[0]) === undefined) {
    assert.equal(child.exitCode, null, output);
    await Promise.race([once(child.stdout, 'data', { signal }), once(child, 'exit', { signal })]);
  }
  return {
    url,
    async stop() {
      const exit = once(child, 'exit', { signal: AbortSignal.timeout(longest) });
      child.stdin.write('stop\n');
      const [code] = (await exit) as [unknown]; // the event's argument
      assert.match(output, /stopped/);
      return code;
    },
  };
}

for (const runtime of runtimes)
  describe(
    `an application served by ${runtime.name}`,
    { skip: runtime.command === undefined ? `${runtime.name} is not on this machine` : false },
    () => {
      let folder: string;
      let served: Served;
      before(async () => {
        folder = mkdtempSync(join(tmpdir(), 'runtime-'));
        served = await serve(runtime, `sqlite:${join(folder, 'profiler.db')}`);
      });
      after(() => {
        rmSync(folder, { recursive: true, force: true });
      });

      it('responds with the real peer, and the record is available immediately', async () => {
        const response = await fetch(`${served.url}/hello/ada`);
        assert.deepEqual(await response.json(), { hello: 'ada', peer: '127.0.0.1', scheme: 'http' });
        const record = await fetch(`${served.url}/_profiler/${response.headers.get('x-debug-token')}.json`);
        const { request: recorded } = (await record.json()) as { request: { target: string } }; // our own JSON
        assert.equal(recorded.target, '/hello/ada');
        assert.match(await (await fetch(`${served.url}/_profiler/`)).text(), /hello\/ada/);
      });

      it('keeps two simultaneous users apart', async () => {
        const names = Array.from({ length: 40 }, (_, at) => `user${at}`);
        const answers = await Promise.all(
          names.map(async (name) => {
            const response = await fetch(`${served.url}/hello/${name}`);
            const { hello } = (await response.json()) as { hello: string }; // as above
            const record = await fetch(
              `${served.url}/_profiler/${response.headers.get('x-debug-token')}.json`,
            );
            const { request: recorded } = (await record.json()) as { request: { target: string } }; // our own JSON
            return [hello, recorded.target];
          }),
        );
        assert.deepEqual(
          answers,
          names.map((name) => [name, `/hello/${name}`]),
        );
      });

      it('accepts bodies within the limit, shows errors, and answers HEAD', async () => {
        const post = (bytes: number): Promise<Response> =>
          fetch(`${served.url}/echo`, { method: 'POST', body: new Uint8Array(bytes) });
        assert.deepEqual(await (await post(300_000)).json(), { length: 300_000 });
        assert.equal((await post(2_000_000)).status, 413);
        const failed = await fetch(`${served.url}/fail`, { headers: { accept: 'text/html' } });
        assert.equal(failed.status, 500);
        assert.match(await failed.text(), /failed on purpose/);
        const head = await fetch(`${served.url}/hello/ada`, { method: 'HEAD' });
        assert.equal(head.headers.get('content-length'), '50');
      });

      it('meets the contract over the wire, except where the parser and server of the runtime decide', async () => {
        const demo = await start(runtime, 'dist/test/runtimes/serve-demo.js');
        const run = spawn(process.execPath, ['scripts/test.mjs', '--no-build', 'test/contract/'], {
          env: { ...testless(process.env), BASE_URL: demo.url, CONTRACT_RUNTIME: runtime.name },
        });
        children.push(run);
        let output = '';
        for (const stream of [run.stdout, run.stderr])
          stream.on('data', (chunk) => (output += String(chunk)));
        const [code] = (await once(run, 'exit')) as [unknown]; // the event's argument
        assert.equal(code, 0, output.slice(output.indexOf('failing tests')));
      });

      it('sends a stream while it is produced', async () => {
        const response = await fetch(`${served.url}/halves`);
        const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
        assert.equal((await reader?.read())?.value, 'first\n');
        await fetch(`${served.url}/release`);
        assert.equal((await reader?.read())?.value, 'second\n');
        assert.equal((await reader?.read())?.done, true);
      });

      it('keeps records in memory, in a SQLite file and in PostgreSQL, and shows them in lists, counts and groups', async () => {
        const postgres = await findPostgres();
        try {
          for (const store of ['memory:', `sqlite:${join(folder, 'kept.db')}`, postgres.address]) {
            const kept = await serve(runtime, store);
            const answer = await fetch(`${kept.url}/hello/kept`);
            const link = answer.headers.get('x-debug-token-link') ?? '';
            const record = (await (await fetch(`${link}.json`)).json()) as { request: { path: string } }; // the record as JSON
            assert.equal(record.request.path, '/hello/kept', store);
            assert.equal((await fetch(`${kept.url}/fail`)).status, 500);
            for (const [page, words] of Object.entries({
              '': /hello\/kept/,
              routes: /hello/,
              errors: /failed on purpose/,
            }))
              assert.match(
                await (await fetch(`${kept.url}/_profiler/${page}`)).text(),
                words,
                `${store} ${page}`,
              );
            assert.equal(await kept.stop(), 0);
          }
        } finally {
          await postgres.stop();
        }
      });
    },
  );
