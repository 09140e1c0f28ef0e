import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../free-port.js';
import { until } from '../until.js';
import { homeEnvironment } from './packed-package.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-dev-'));
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const program = (word: string): string => `import { createApp, serve } from 'lookback';
import { greeting } from './greeting.ts';
type Name = { readonly name: string };
await serve(() => {
  const app = createApp();
  app.get('/hello/{name}', ({ params }: { readonly params: Name }) => ({ [greeting]: params.name, word: '${word}' }));
  app.get('/fails', () => {
    throw new TypeError('The shelf fell down.');
  });
  app.get('/burns', function burns() {
    for (const end = performance.now() + 100; performance.now() < end; ) JSON.parse('{"some":["text"]}');
    return 'burnt';
  });
  return app;
});
`;

/** A JavaScript program, which starts in half the time of a TypeScript one. */
const plain = `import { createApp, serve } from 'lookback';
import { greeting } from './greeting.js';
await serve(() => {
  const app = createApp();
  app.get('/', () => greeting);
  return app;
});
`;

/** A run of `lookback dev`, with its output so far. */
class DevRun {
  printed = '';
  readonly child: ChildProcess;
  readonly url: string;

  constructor(port: number, words: readonly string[] = [], variables: Readonly<Record<string, string>> = {}) {
    this.url = `http://127.0.0.1:${port}`;
    this.child = spawn(process.execPath, [resolve('dist/bundle/cli.js'), 'dev', ...words], {
      cwd: folder,
      env: homeEnvironment({ PORT: String(port), ...variables }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.printed += chunk.toString()));
  }

  /** Waits until this has been printed `times` times. */
  async said(words: RegExp, times = 1): Promise<void> {
    const pattern = new RegExp(words, 'gm');
    await until(
      () => {
        if ((this.printed.match(pattern)?.length ?? 0) >= times) return true;
        assert.equal(this.child.exitCode, null, this.printed);
        return false;
      },
      () => this.printed,
    );
  }

  async get(path: string): Promise<{ status: number; body: string; token: string }> {
    // A keep-alive connection may be closed at the moment it is reused: browsers then retry, fetch does not.
    const response = await fetch(this.url + path, {
      headers: { Accept: 'application/json', Connection: 'close' },
    });
    return {
      status: response.status,
      body: await response.text(),
      token: response.headers.get('x-debug-token') ?? '',
    };
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    const ended = new Promise((end) => this.child.once('exit', end));
    this.child.kill(signal);
    await ended;
  }

  async isServing(): Promise<boolean> {
    return fetch(this.url).then(
      () => true,
      () => false,
    );
  }
}

describe('lookback dev', () => {
  before(() => {
    mkdirSync(join(folder, 'src'));
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(resolve('.'), join(folder, 'node_modules/lookback'), 'junction');
    symlinkSync(resolve('node_modules/tsx'), join(folder, 'node_modules/tsx'), 'junction');
    write('package.json', '{ "type": "module" }');
    write('src/greeting.ts', "export const greeting: string = 'hello';\n");
    write('src/main.ts', program('first'));
    write('src/greeting.js', "export const greeting = 'hello';\n");
    write('src/plain.js', plain);
  });
  after(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

  it('runs TypeScript, prints each request with its record, restarts on change, and keeps the records', async () => {
    const dev = new DevRun(await freePort());
    try {
      await dev.said(/lookback serves at/);
      const first = await dev.get('/hello/ada?password=hunter2');
      assert.deepEqual([first.status, first.body], [200, '{"hello":"ada","word":"first"}']);
      await dev.said(
        new RegExp(`^GET +/hello/ada\\S* +200 +[\\d.]+ ms +${dev.url}/_profiler/${first.token}$`),
      );
      assert.doesNotMatch(dev.printed, /hunter2/);

      const failed = await dev.get('/fails');
      await dev.said(
        new RegExp(
          `^GET +/fails +500 .*/_profiler/${failed.token}\n +TypeError: The shelf fell down\\.\n +at src/main\\.ts:8$`,
        ),
      );

      const burnt = await dev.get('/burns?_profile=cpu');
      const { sections } = JSON.parse((await dev.get(`/_profiler/${burnt.token}.json`)).body) as {
        sections: { cpu: { functions: readonly { name: string; line: number }[] } };
      };
      const lines = sections.cpu.functions.filter(({ name }) => name === 'burns').map(({ line }) => line);
      assert.deepEqual(lines, [10], 'the line in the source, not in the compiled file');

      write('src/main.ts', program('second'));
      await dev.said(/src\/main\.ts changed\. Restarting/);
      await dev.said(/lookback serves at/, 2);
      assert.equal((await dev.get('/hello/ben')).body, '{"hello":"ben","word":"second"}');
      assert.equal(
        (await dev.get(`/_profiler/${first.token}.json`)).status,
        200,
        'the record is still there',
      );
      assert.doesNotMatch(
        dev.printed,
        /GET +\/_profiler/,
        "requests for the profiler's own pages are not printed",
      );
    } finally {
      await dev.stop('SIGTERM');
    }
    assert.equal(await dev.isServing(), false);
  });

  it('does not restart the program when a test file changes', async () => {
    const dev = new DevRun(await freePort(), ['src/plain.js']);
    try {
      await dev.said(/lookback serves at/);
      write('src/main.test.ts', 'export {};\n');
      mkdirSync(join(folder, 'test'));
      write('test/setup.ts', 'export {};\n');
      write('src/greeting.js', "export const greeting = 'good day';\n");
      await dev.said(/src\/greeting\.js changed\. Restarting/);
      await dev.said(/lookback serves at/, 2);
      assert.equal(dev.printed.match(/Restarting/g)?.length, 1, dev.printed);
    } finally {
      await dev.stop('SIGTERM');
    }
  });

  it('ends with the process that started it, and frees the port', async () => {
    const port = await freePort();
    // The parent ends with this test, even if the test is killed.
    const script = `process.once('disconnect', () => process.exit()); require('node:child_process').spawn(process.execPath, ${JSON.stringify([resolve('dist/bundle/cli.js'), 'dev', 'src/plain.js'])}, { stdio: 'inherit' });`;
    const parent = spawn(process.execPath, ['-e', script], {
      cwd: folder,
      env: homeEnvironment({ PORT: String(port) }),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const isServing = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}`).then(
        () => true,
        () => false,
      );
    await until(isServing);
    parent.kill('SIGKILL');
    await until(async () => !(await isServing()));
  });

  it('says that its port is busy if another server has it', async () => {
    const port = await freePort();
    const first = new DevRun(port, ['src/plain.js']);
    await first.said(/lookback serves at/);
    const second = new DevRun(port, ['src/plain.js']);
    try {
      await second.said(/is already in use/);
    } finally {
      await Promise.all([first.stop('SIGTERM'), second.stop('SIGTERM')]);
    }
  });

  it('in production, names the store if records were requested, but no profiler address', async () => {
    const variables = { APP_ENV: 'prod', LOOKBACK: 'on', TRUSTED_HOSTS: '127.0.0.1' };
    const dev = new DevRun(await freePort(), ['src/plain.js'], variables);
    try {
      await dev.said(/lookback serves at http:\S+ \(prod\)\nstore     sqlite:var\/profiler\.db$/);
      assert.doesNotMatch(dev.printed, /^profiler/m);
    } finally {
      await dev.stop('SIGTERM');
    }
  });

  it('waits for the next change after an error', async () => {
    const dev = new DevRun(await freePort(), ['src/main.ts']);
    try {
      await dev.said(/lookback serves at/);
      write('src/greeting.ts', 'export const = ;\n');
      await dev.said(/The application ended \(exit code 1\)\. Waiting for a change/);
      assert.match(dev.printed, /greeting\.ts/);
      write('src/greeting.ts', "export const greeting: string = 'good day';\n");
      await dev.said(/lookback serves at/, 2);
      assert.match((await dev.get('/hello/ada')).body, /"good day":"ada"/);

      mkdirSync(join(folder, 'src/new'));
      write('src/new/word.ts', "export const word = 'new';\n");
      await dev.said(/src\/new\S* changed/);
      await dev.said(/lookback serves at/, 3);
    } finally {
      await dev.stop('SIGINT');
    }
  });

  it('leaves no program running, even when killed', async () => {
    const dev = new DevRun(await freePort(), ['src/plain.js']);
    await dev.said(/lookback serves at/);
    assert.ok(await dev.isServing());
    await dev.stop('SIGKILL');
    await until(async () => !(await dev.isServing()));
  });

  it('reports a missing program or TypeScript loader', async () => {
    const wrong = new DevRun(await freePort(), ['src/nix.ts']);
    await new Promise((end) => wrong.child.once('close', end));
    assert.match(wrong.printed, /CLI_NO_ENTRY[\s\S]*src\/nix\.ts/);
    assert.equal(wrong.child.exitCode, 2);
    if ('typescript' in process.features) return; // Node reads it
    unlinkSync(join(folder, 'node_modules/tsx'));
    const bare = new DevRun(await freePort());
    await new Promise((end) => bare.child.once('close', end));
    assert.match(bare.printed, /CLI_NO_TYPESCRIPT[\s\S]*npm install --save-dev tsx/);
    assert.equal(bare.child.exitCode, 2);
  });
});
