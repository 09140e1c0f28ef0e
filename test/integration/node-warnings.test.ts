import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { deprecate } from 'node:util';
import { type App, createApp } from 'lookback';
import { findingsOf, type ProfileRecord } from 'lookback/profiler';
import { writeManifest } from '../attach/flagged-program.js';
import { freePort } from '../free-port.js';
import { local } from '../local-peer.js';
import { until } from '../until.js';

const configuration = { env: 'test', debug: true, profilerStore: 'memory:' } as const;

async function withApp(work: (app: App, url: string) => Promise<void>): Promise<void> {
  const app = createApp({ configuration, logHandlers: [] });
  try {
    const { url } = await app.listen({ port: 0 });
    await work(app, url);
  } finally {
    await app.close();
  }
}

type Line = ProfileRecord['logs'][number];

const warningsOf = ({ logs }: ProfileRecord): Line[] => logs.filter(({ channel }) => channel === 'node');
const fieldOf = (line: Line | undefined, name: string): string =>
  JSON.stringify(line?.context?.entries?.find(({ key }) => key === name)?.value ?? '');

/** Waits until the record of a response has this many Node warnings, because it may be closed before Node emits them. */
function recordOf(app: App, token: string | null, count: number): Promise<ProfileRecord> {
  return until(async () => {
    const found = await app.profiler?.find(token ?? '');
    if (found?.kind !== 'found') return false;
    return warningsOf(found.record).length >= count && found.record;
  });
}

describe("Node's warnings", () => {
  it('are lines in the channel node at level warning, with stack, code and a separate count, over a socket and by fetch', async () => {
    await withApp(async (app, url) => {
      app.get('/{way}', function work() {
        process.emitWarning('old thing', {
          type: 'DeprecationWarning',
          code: 'APP1',
          detail: 'Use the new.',
        });
        process.emitWarning('new thing', 'ExperimentalWarning');
        process.emitWarning('plain');
        return 'x';
      });
      for (const answer of [await fetch(`${url}/socket`), await app.fetch('/fetch', local)]) {
        const record = await recordOf(app, answer.headers.get('x-debug-token'), 3);
        const lines = warningsOf(record);
        assert.deepEqual(
          record.logs.map(({ level, channel, message }) => [level, channel, message]),
          [
            ['debug', 'router', record.logs[0]?.message],
            ['warning', 'node', 'DeprecationWarning: old thing'],
            ['warning', 'node', 'ExperimentalWarning: new thing'],
            ['warning', 'node', 'Warning: plain'],
          ],
        );
        assert.match(fieldOf(lines[0], 'code'), /APP1/);
        assert.match(fieldOf(lines[0], 'detail'), /Use the new\./);
        for (const line of lines) {
          assert.match(fieldOf(line, 'stack'), /work \(.*node-warnings\.test\.[jt]s:\d+:\d+\)/);
          assert.match(fieldOf(line, 'source'), /node-warnings\.test\.[jt]s:\d+:\d+/);
        }
        assert.equal(record.logTotals.nodeWarnings, 3);
        assert.deepEqual(
          // Excludes findings that a busy machine adds.
          findingsOf(record).flatMap(({ kind, text, level }) =>
            level === 'info' || kind === 'blocked' || kind === 'held-up' ? [] : [[text, level]],
          ),
          [['3 warnings of Node: DeprecationWarning: old thing …', 'warn']],
        );
      }
    });
  });

  it('are counted in the list and found with their own fields, and do not count as logged errors or warnings', async () => {
    await withApp(async (app) => {
      app.get('/node', () => {
        process.emitWarning('only one');
        return 'x';
      });
      app.get('/own', ({ log }) => {
        log.warning('careful');
        return 'x';
      });
      const answer = await app.fetch('/node', local);
      await app.fetch('/own', local);
      await recordOf(app, answer.headers.get('x-debug-token'), 1);
      const rows = (await app.profiler?.list())?.rows ?? [];
      assert.deepEqual(
        rows.map(({ path, nodeWarnings, warnings, errors }) => [path, nodeWarnings, warnings, errors]),
        [
          ['/own', 0, 1, 0],
          ['/node', 1, 0, 0],
        ],
      );
      for (const [query, path] of [
        ['node-warnings:>0', '/node'],
        ['has:node-warning', '/node'],
        ['has:warning', '/own'],
      ] as const) {
        const page = await app.fetch(`/_profiler/search.json?q=${encodeURIComponent(query)}`, local);
        const { rows: found } = (await page.json()) as { rows: { path: string }[] }; // our own JSON
        assert.deepEqual(
          found.map((row) => row.path),
          [path],
          query,
        );
      }
      const list = await (await app.fetch('/_profiler/', local)).text();
      assert.match(list, /1 Node warning/);
      const panel = `/_profiler/${answer.headers.get('x-debug-token')}?panel=logs`;
      assert.match(await (await app.fetch(panel, local)).text(), /1 warning of Node/);
      assert.match(
        await (await app.fetch(`/_profiler/${answer.headers.get('x-debug-token')}.md`, local)).text(),
        /Warning: only one/,
      );
    });
  });

  it('are such lines too if they are about too many listeners, from util.deprecate, errors, or after the response', async () => {
    await withApp(async (app) => {
      const old = deprecate(() => 1, 'old() is deprecated', 'OWN7');
      app.get('/', () => {
        const emitter = new EventEmitter();
        for (let at = 0; at < 11; at++) emitter.on('thing', () => at);
        old();
        process.emitWarning(Object.assign(new Error('an error'), { name: 'OwnWarning' }));
        setImmediate(() => process.emitWarning('later'));
        return 'x';
      });
      const answer = await app.fetch('/', local);
      const record = await recordOf(app, answer.headers.get('x-debug-token'), 4);
      const messages = warningsOf(record).map(({ message }) => message);
      assert.match(messages[0] ?? '', /^MaxListenersExceededWarning: .* 11 thing listeners added/);
      assert.deepEqual(messages.slice(1), [
        'DeprecationWarning: old() is deprecated',
        'OwnWarning: an error',
        'Warning: later',
      ]);
      assert.equal(record.logTotals.nodeWarnings, 4);
      assert.deepEqual(
        record.logs.filter(({ level }) => level === 'error'),
        [],
      );
    });
  });

  it('are counted beyond the lines that are kept', async () => {
    await withApp(async (app, url) => {
      app.get('/', async ({ log }) => {
        for (let at = 0; at < 3; at++) process.emitWarning(`early ${at}`);
        await nextTurn();
        for (let at = 0; at < 1000; at++) log.info(`line ${at}`);
        process.emitWarning('late');
        await nextTurn();
        return 'x';
      });
      const answer = await fetch(url);
      const record = await recordOf(app, answer.headers.get('x-debug-token'), 4);
      assert.deepEqual([record.logTotals.nodeWarnings, record.logTotals.byLevel['warning']], [4, 4]);
      assert.ok(record.logTotals.omitted > 0);
    });
  });

  it("do not hide the application's log lines about them, or lines that look like them", async () => {
    await withApp(async (app) => {
      const write = (warning: Error): void => console.warn(`seen: ${warning.message}`);
      process.on('warning', write);
      try {
        app.get('/', () => {
          console.error(`(node:${process.pid}) Warning: written by hand`);
          process.emitWarning('listened to');
          return 'x';
        });
        const answer = await app.fetch('/', local);
        const record = await recordOf(app, answer.headers.get('x-debug-token'), 1);
        assert.deepEqual(
          record.logs.slice(1).map(({ channel, message }) => [channel, message]),
          [
            ['console', `(node:${process.pid}) Warning: written by hand`],
            ['node', 'Warning: listened to'],
            ['console', 'seen: listened to'],
          ],
        );
      } finally {
        process.off('warning', write);
      }
    });
  });

  it('are ignored if they are not errors, or occur outside requests', async () => {
    await withApp(async (app) => {
      process.emitWarning('outside of a request');
      app.get('/', () => {
        process.emit('warning', Object.defineProperty(new Error('no stack'), 'stack', { value: 7 }));
        process.emit('warning', 'a text' as unknown as Error); // a program may do this
        return 'x';
      });
      const answer = await app.fetch('/', local);
      const record = await recordOf(app, answer.headers.get('x-debug-token'), 1);
      assert.deepEqual(
        warningsOf(record).map(({ message }) => message),
        ['Error: no stack'],
      );
    });
  });
});

/** Responds with warnings. The first one is emitted before lookback is imported, so that Node has the original console. */
const program = `
process.emitWarning('at the start');
const { createServer } = await import('node:http');
createServer((request, response) => {
  if (request.url === '/warn') {
    process.emitWarning('old thing', 'DeprecationWarning', 'APP1');
    process.emitWarning('plain');
  }
  setImmediate(() => response.end('x'));
}).listen(process.env.PORT, '127.0.0.1', () => process.send('ready'));
`;

interface Seen {
  readonly record: ProfileRecord;
  readonly stderr: string;
}

async function askFlagged(flags: readonly string[]): Promise<Seen> {
  const folder = mkdtempSync(join(tmpdir(), 'node-warnings-'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'program.mjs'), program);
  writeManifest(folder, program);
  const port = await freePort();
  const register = resolve('dist/bundle/register.js');
  const child = spawn(process.execPath, [...flags, '--import', register, 'program.mjs'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], PORT: String(port), PROFILER_STORE: 'memory:' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  try {
    await once(child, 'message');
    const origin = `http://127.0.0.1:${port}`;
    const answer = await fetch(`${origin}/warn`);
    await answer.text();
    const token = answer.headers.get('x-debug-token');
    const record = await until(async () => {
      const page = await (await fetch(`${origin}/_profiler/${token}.json`)).text();
      return page.includes('"state":"complete"') && (JSON.parse(page) as ProfileRecord); // our own JSON
    });
    return { record, stderr };
  } finally {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("Node's warnings under the flag", () => {
  for (const [flags, printed] of [
    [[], /\[APP1\] DeprecationWarning: old thing\n.*Warning: plain/],
    [['--trace-warnings'], /\[APP1\] DeprecationWarning: old thing\n +at .*program\.mjs/],
    [['--trace-deprecation'], /\[APP1\] DeprecationWarning: old thing\n +at .*program\.mjs/],
    [['--no-warnings'], /^lookback: records of .*\n$/],
  ] as const)
    it(`${flags.join(' ') || 'without options'}: each is recorded once, and Node prints as always`, async () => {
      const { record, stderr } = await askFlagged(flags);
      assert.match(stderr, printed);
      assert.deepEqual(
        record.logs.map(({ level, channel, message }) => [level, channel, message]),
        [
          ['warning', 'node', 'DeprecationWarning: old thing'],
          ['warning', 'node', 'Warning: plain'],
        ],
      );
      assert.match(fieldOf(record.logs[0], 'stack'), /program\.mjs:\d+:\d+/);
      assert.equal(record.logTotals.nodeWarnings, 2);
    });
});
