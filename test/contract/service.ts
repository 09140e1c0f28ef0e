import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

/** False where another runtime's server answers for the application: what that decides is not ours to promise. */
export const isOurServer: boolean = process.env['CONTRACT_RUNTIME'] === undefined;

/** A running service to ask: one that the test run starts, or the one that BASE_URL names. */
export interface Service {
  readonly url: string;
  /** Until it has printed that, which may come after what it answers; fails after half a minute. Not known of a service that was there before. */
  said(words: RegExp): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** As in the script `start`: Node 22 says of its SQLite that it is experimental, which is no word of ours. */
const startFlags = ['--disable-warning=ExperimentalWarning', '--enable-source-maps'];

/** Starts the demo as `npm start` does, on a port of the system's choice and with a store of its own. */
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

/** The service of this test process, for files that only look at their own requests: starting one takes longer than most tests. */
export function sharedService(): Promise<Service> {
  return (shared ??= startService());
}

/** Starts the demo expecting that it refuses to; gives back its exit code and what it printed. */
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

/** The variables of this process without those that configure a service. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const ours =
    /^(HOST|PORT|APP_|NODE_ENV|TLS_|TRUSTED_|PROFILER_|DEBUG_|LOOKBACK_|NODE_TEST|NODE_V8_COVERAGE|DATABASE_URL)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}
