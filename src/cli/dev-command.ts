import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type Command, createCommand } from '#command';
import type { CliOutput } from './command-line/terminal.js';
import { cliErrors } from './command-line/error-codes.js';
import { typeScriptLoader } from './command-line/load-app.js';

/** Files to try if none is named; the first that exists is run. */
const candidates = [
  'src/main.ts',
  'main.ts',
  'src/server.ts',
  'src/main.tsx',
  'src/main.js',
  'main.js',
  'src/main.mjs',
  'main.mjs',
];
/** Milliseconds between two looks at a process whose end does not arrive as an event. */
const checkMs = 500;
/** Milliseconds that the program has for ending before it is killed. */
const stopTimeoutMs = 6000;

/**
 * `lookback dev [FILE]`: runs a program under `node --watch`, which restarts it after each change of a file that it has
 * imported, until a signal or the end of the parent process ends it.
 */
export function devCommand(output: CliOutput): Command {
  return createCommand(
    'dev',
    {
      description: `Runs the application, and restarts it when a file changes. Without FILE, runs the first of ${candidates.join(', ')}`,
      positionals: ['file'],
    },
    async ({ positionals: [given] }) => {
      const folder = process.cwd();
      const entry = findEntry(folder, given);
      const watcher = watchProgram(entry, typeScriptLoader(entry));
      output.out(`lookback dev: running ${relative(folder, entry)}, watching the files that it imports\n`);
      const signal = await Promise.race([untilSignal(), untilParentEnds(), once(watcher, 'exit')]);
      if (typeof signal === 'string') await end(watcher, signal);
    },
  );
}

function findEntry(folder: string, given: string | undefined): string {
  const found = (given === undefined ? candidates : [given]).find(
    (file) => existsSync(join(folder, file)) || existsSync(file),
  );
  if (found === undefined)
    throw cliErrors.create('CLI_NO_ENTRY', { candidates: given ?? candidates.join(', '), folder });
  return resolve(folder, found);
}

/** Loaded before the program: ends it and its watcher when this process is gone, however that ended. */
const endWithParent = `data:text/javascript,${encodeURIComponent(`
  const both = [process.ppid, process.pid];
  const end = () => {
    for (const id of both) try { process.kill(id, 'SIGTERM'); } catch {}
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${stopTimeoutMs}).unref();
    clearInterval(timer);
  };
  const timer = setInterval(() => { try { process.kill(${process.pid}, 0); } catch { end(); } }, ${checkMs}).unref();
  process.once('disconnect', end);
  process.channel?.unref(); // the program must end when it has nothing left to do
`)}`;

function watchProgram(entry: string, loader: string | undefined): ChildProcess {
  const imports = [endWithParent, ...(loader === undefined ? [] : [loader])].flatMap((one) => [
    '--import',
    one,
  ]);
  const watch = ['--watch', '--watch-preserve-output'];
  return spawn(
    process.execPath,
    [...watch, '--enable-source-maps', '--disable-warning=ExperimentalWarning', ...imports, entry],
    { stdio: 'inherit', env: { ...process.env, ACCESS_LOG: process.env['ACCESS_LOG'] ?? 'dev' } },
  );
}

function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolveSignal) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => resolveSignal(signal));
  });
}

/** Resolves when the process that started this one is gone, such as `npm run dev`, whose signals do not arrive here. */
function untilParentEnds(): Promise<NodeJS.Signals> {
  const parent = process.ppid;
  return new Promise((resolveEnd) => {
    const timer = setInterval(() => {
      if (process.ppid === parent && isRunning(parent)) return;
      clearInterval(timer);
      resolveEnd('SIGTERM');
    }, checkMs);
    timer.unref();
  });
}

/** On Windows a process keeps the id of a parent that has ended. */
function isRunning(pid: number): boolean {
  if (process.platform !== 'win32') return true;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function end(watcher: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (watcher.exitCode !== null || watcher.signalCode !== null) return;
  const timer = setTimeout(() => watcher.kill('SIGKILL'), stopTimeoutMs);
  // `node --watch` knows two signals.
  watcher.kill(signal === 'SIGINT' ? 'SIGINT' : 'SIGTERM');
  await once(watcher, 'exit');
  clearTimeout(timer);
}
