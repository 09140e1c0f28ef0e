import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { freePort } from '../free-port.js';
import { until } from '../until.js';
import { homeEnvironment } from './packed-package.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-dev-terminal-'));
const opened = join(folder, 'opened.txt');

const app = `import { createApp, serve } from 'lookback';
await serve(() => {
  const app = createApp();
  app.get('/hello/{name}', ({ params }) => params.name);
  return app;
});
`;

/** Reads lines from the terminal, some time after it started serving. */
const reader = `${app}
import { createInterface } from 'node:readline';
process.once('SIGUSR2', () => {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  lines.on('line', (line) => console.log('read', JSON.stringify(line)));
  console.log('reading');
});
console.log('process', process.pid);
`;

/** Has a child process that reads a line from the terminal, some time after it started serving. */
const parent = `${app}
import { spawn } from 'node:child_process';
process.once('SIGUSR2', () => spawn('sh', ['-c', 'echo asking; read line; echo "child read $line"'], { stdio: 'inherit' }));
console.log('process', process.pid);
`;

/** Exits with an error some time after it started serving. */
const failing = `${app}
process.once('SIGUSR2', () => { throw new Error('not any more'); });
console.log('process', process.pid);
`;

/** A run of `lookback dev` in its own terminal, 80 columns wide; the terminal's mode is printed at the end. */
class TerminalRun {
  /** The output without escape sequences. */
  printed = '';
  /** The raw output. */
  raw = '';
  readonly url: string;
  readonly #child: ChildProcess;

  constructor(port: number, file: string, more: Readonly<Record<string, string>>) {
    this.url = `http://127.0.0.1:${port}`;
    const words = [process.execPath, resolve('dist/bundle/cli.js'), 'dev', file]
      .map((word) => `'${word}'`)
      .join(' ');
    const command = `stty cols 80 rows 24; trap : INT; ${words}; echo ended $?; stty -a`;
    const variables = {
      PORT: String(port),
      TERM: 'xterm-256color',
      BROWSER: join(folder, 'browser'),
      PROFILER_STORE: 'memory:',
      ...more,
    };
    // The environment of the test run must not affect colours.
    const {
      CI: _ci,
      FORCE_COLOR: _force,
      NO_COLOR: _no,
      NODE_DISABLE_COLORS: _disable,
      ...rest
    } = homeEnvironment();
    this.#child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: folder,
      env: { ...rest, ...variables },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.raw += chunk.toString();
      this.printed = stripVTControlCharacters(this.raw);
    });
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  async said(words: RegExp, times = 1): Promise<void> {
    const pattern = new RegExp(words, 'gm');
    await until(
      () => (this.printed.match(pattern)?.length ?? 0) >= times,
      () => this.printed,
    );
  }

  /** Waits for the exit; returns whether the terminal edits lines and sends signals again. */
  async ended(): Promise<boolean> {
    await this.said(/^(?:\^C|q)?ended \d+\s[^]*\bisig\b[^]*\bextproc\b/);
    return ['isig', 'icanon', 'echo'].every((mode) => new RegExp(`(?<!-)\\b${mode}\\b`).test(this.printed));
  }

  stop(): void {
    this.#child.kill('SIGTERM');
  }
}

const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

describe('lookback dev in a terminal', { skip: hasTerminal ? false : 'needs script of util-linux' }, () => {
  before(() => {
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(resolve('.'), join(folder, 'node_modules/lookback'), 'junction');
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'main.js'), app);
    writeFileSync(join(folder, 'reader.js'), reader);
    writeFileSync(join(folder, 'parent.js'), parent);
    writeFileSync(join(folder, 'failing.js'), failing);
    writeFileSync(join(folder, 'broken.js'), "throw new Error('not today');\n");
    writeFileSync(
      join(folder, 'browser'),
      `#!/bin/sh\necho "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`,
    );
    chmodSync(join(folder, 'browser'), 0o755);
  });
  after(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

  const inTerminal = async (
    file: string,
    work: (run: TerminalRun) => Promise<void>,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<void> => {
    const run = new TerminalRun(await freePort(), file, variables);
    try {
      await work(run);
    } finally {
      run.stop();
    }
  };

  const signalProgram = async (run: TerminalRun): Promise<void> => {
    await run.said(/process \d+/);
    process.kill(Number(/process (\d+)/.exec(run.printed)?.[1]), 'SIGUSR2');
  };

  it('prints its address and its keys: r restarts, o opens the last record, q quits', async () => {
    await inTerminal('main.js', async (run) => {
      await run.said(/q quit/);
      assert.match(
        run.printed.replaceAll('\r', ''),
        new RegExp(
          `^lookback \\d\\S+ {2}ready in \\d+ ms\n\n {2}site {6}${run.url}\n {2}profiler {2}${run.url}/_profiler/\n {2}store {5}memory of this process · 0 records\n {2}watching 1 folder · r restart · o open the last record · q quit\n\n`,
          'm',
        ),
      );
      await fetch(`${run.url}/helo/ada`);
      await run.said(
        /^404 GET {3}\/helo\/ada +\d\S* ms {2}did you mean \/hello\/\{name\}\? +[0-9a-f]{6,}\s*$/,
      );
      run.type('o');
      await until(() => existsSync(opened));
      assert.equal(readFileSync(opened, 'utf8'), `${run.url}/_profiler/latest\n`);
      run.type('xr');
      await run.said(/ready in \d+ ms/, 2);
      assert.equal(await (await fetch(`${run.url}/hello/ada`)).text(), 'ada');
      run.type('q');
      assert.ok(await run.ended(), run.printed);
      assert.match(run.printed, /ended 0/);
      await assert.rejects(fetch(run.url));
    });
  });

  it('says which keys there are in a terminal without colours, without escape sequences', async () => {
    const seen = async (run: TerminalRun): Promise<void> => {
      await run.said(/^ {2}watching 1 folder · r restart · o open the last record · q quit/);
      assert.ok(!run.raw.includes('\u001b'), run.raw);
      run.type('q');
      assert.ok(await run.ended(), run.printed);
    };
    await inTerminal('main.js', seen, { NO_COLOR: '1' });
    await inTerminal('main.js', seen, { TERM: 'dumb' });
  });

  it('ends on Ctrl+C, and restores the terminal', async () => {
    await inTerminal('main.js', async (run) => {
      await run.said(/q quit/);
      run.type('\u0003');
      assert.ok(await run.ended(), run.printed);
      await assert.rejects(fetch(run.url));
    });
  });

  it('leaves the terminal to an application that reads it, including all keys and their meaning', async () => {
    await inTerminal('reader.js', async (run) => {
      await signalProgram(run);
      await run.said(/^reading/);
      run.type('rqo\u007f\r');
      await run.said(/read "rq"/); // the line was edited
      run.type('rrr\r');
      await run.said(/read "rrr"/);
      assert.doesNotMatch(run.printed, /Restarting/);
    });
  });

  it('leaves the terminal to a child process that shares it, and ends on Ctrl+C meanwhile', async () => {
    await inTerminal('parent.js', async (run) => {
      await run.said(/q quit/);
      await signalProgram(run);
      await run.said(/^asking/);
      run.type('rq\r');
      await run.said(/^child read rq/);
      assert.doesNotMatch(run.printed, /Restarting/);
      run.type('\u0003');
      assert.ok(await run.ended(), run.printed);
    });
  });

  it('reads keys after the application failed while serving', async () => {
    await inTerminal('failing.js', async (run) => {
      await run.said(/q quit/);
      await signalProgram(run);
      await run.said(/Waiting for a change/);
      run.type('r');
      await run.said(/ready in \d+ ms/, 2);
      run.type('q');
      assert.ok(await run.ended(), run.printed);
    });
  });

  it('reads keys after the application has ended', async () => {
    await inTerminal('broken.js', async (run) => {
      await run.said(/Waiting for a change/);
      run.type('r');
      await run.said(/Waiting for a change/, 2);
      run.type('q');
      assert.ok(await run.ended(), run.printed);
    });
  });
});
