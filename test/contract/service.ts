import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

/** False if the server of another runtime answers for the application; lookback makes no promises about that server. */
export const isOurServer: boolean = process.env['CONTRACT_RUNTIME'] === undefined;

/** A running service: started by the test run, or named by BASE_URL. */
export interface Service {
  readonly url: string;
  /**
   * Waits until it has printed a match, which may come after its response; fails after half a minute. Skipped for a service from BASE_URL.
   */
  said(words: RegExp): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** As in the `start` script: Node 22 warns that its SQLite is experimental, which is not lookback's output. */
const startFlags = ['--disable-warning=ExperimentalWarning', '--enable-source-maps'];

/** Starts the demo as `npm start` does, on a free port and with its own store. */
export async function startService(variables: Readonly<Record<string, string>> = {}): Promise<Service> {
  const given = process.env['BASE_URL'];
  if (given !== undefined && Object.keys(variables).length === 0) {
    const said = (): Promise<void> => Promise.resolve();
    return { url: given.replace(/\/$/, ''), said, stop: () => Promise.resolve(0) };
  }
  const folder = await mkdtemp(join(tmpdir(), 'lookback-service-'));
  const child = spawn(process.execPath, [...startFlags, resolve('dist/demo/main.js')], {
    env: {
      ...cleanEnvironment(),
      PORT: '0',
      PROFILER_STORE: `sqlite:${join(folder, 'profiler.db')}`,
      DEMO_FOLDER: folder,
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const exited = new Promise<number | null>((settle) => child.once('exit', settle));
  const url = await new Promise<string>((settle, fail) => {
    const timer = setTimeout(() => fail(new Error(`the service did not start:\n${printed}`)), 60_000);
    const read = (chunk: Buffer): void => {
      printed += chunk.toString('utf8');
      const found = /https?:\/\/[\w.[\]:-]+:\d+(?=\D)/.exec(printed)?.[0];
      if (found !== undefined) {
        clearTimeout(timer);
        settle(found);
      }
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void exited.then((code) => {
      clearTimeout(timer);
      fail(new Error(`the service left with ${code}:\n${printed}`));
    });
  });
  return {
    url,
    async said(words) {
      for (let tries = 0; tries < 600 && !words.test(printed); tries++) await wait(50);
      assert.match(printed, words);
    },
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const code = await exited;
      await rm(folder, { recursive: true, force: true });
      return code;
    },
  };
}

let shared: Promise<Service> | undefined;
after(async () => (await shared)?.stop());

/** The shared service of this test process, for files that only look at their own requests: starting one takes longer than most tests. */
export function sharedService(): Promise<Service> {
  return (shared ??= startService());
}

/** Starts the demo with variables that it should refuse; returns its exit code and output. */
export async function startRefused(
  variables: Readonly<Record<string, string>>,
): Promise<{ code: number | null; printed: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'lookback-refused-'));
  const child = spawn(process.execPath, [...startFlags, resolve('dist/demo/main.js')], {
    env: { ...cleanEnvironment(), PORT: '0', PROFILER_STORE: 'memory:', DEMO_FOLDER: folder, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));
  const code = await new Promise<number | null>((settle) => child.once('close', settle));
  await rm(folder, { recursive: true, force: true });
  return { code, printed };
}

/** This process's variables, except those that configure a service. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const ours =
    /^(HOST|PORT|APP_|NODE_ENV|TLS_|TRUSTED_|PROFILER_|DEBUG_|LOOKBACK_|NODE_TEST|NODE_V8_COVERAGE|DATABASE_URL)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}
