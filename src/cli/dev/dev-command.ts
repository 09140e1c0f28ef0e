import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { safely } from '#core/coded-error';
import { type Command, createCommand } from '#core/command';
import { say } from '#core/phrases';
import type { CliOutput } from '../command-line/terminal.js';
import { cliErrors } from '../command-line/error-codes.js';
import { typeScriptLoader } from '../command-line/load-app.js';
import { ownManifest } from '../new-command.js';
import { createDevProcess } from './dev-process.js';
import { openBrowser } from './open-browser.js';
import { createTerminalKeys } from './terminal-keys.js';
import { watchFiles } from './watch-files.js';

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
/**
 * Delay after the last change before the restart, in milliseconds, because editors and formatters write several files.
 */
const debounceMs = 120;

const parentCheckMs = 500;

/**
 * `lookback dev [FILE]`: runs a program and restarts it after each change, until a signal or the end of its parent ends
 * it.
 */
export function devCommand(output: CliOutput): Command {
  return createCommand(
    'dev',
    {
      description: `Runs the application, and restarts it when a file changes. Without FILE, runs the first of ${candidates.join(', ')}`,
      positionals: ['file'],
    },
    ({ positionals: [given] }) => runDev(given, output),
  );
}

async function runDev(given: string | undefined, output: CliOutput): Promise<void> {
  const folder = process.cwd();
  const entry = findEntry(folder, given);
  const loader = typeScriptLoader(entry);
  const printLine = (text: string): void => output.out(`lookback dev: ${text}\n`);
  let onQuit: (signal: NodeJS.Signals) => void = () => undefined;
  const quit = new Promise<NodeJS.Signals>((resolveQuit) => (onQuit = resolveQuit));
  let profiler: string | undefined;
  const keys = createTerminalKeys((key) => {
    if (key === 'r') {
      printLine('Restarting…');
      child.restart();
    } else if (key === 'o' && profiler !== undefined) {
      printLine(`Opening ${profiler}latest`);
      openBrowser(`${profiler}latest`);
    } else if (key === 'q') onQuit('SIGTERM');
    else if (key === '\r') output.out('\n'); // an empty line separates new output from old
  });
  const watcher = watchFiles(folder, (file) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      printLine(`${relative(folder, file)} changed. Restarting…`);
      child.restart();
    }, debounceMs);
  });
  const watching = `watching ${say('{n} folder|{n} folders', { n: watcher.count() })}`;
  const child = createDevProcess({
    entry,
    loader,
    version: ownManifest().version,
    watching,
    keys,
    onServing: (url) => (profiler = url),
    onEnd: (end) => printLine(`The application ended (${end}). Waiting for a change…`),
  });
  let timer: NodeJS.Timeout | undefined;
  // In a terminal, `serve` prints the rest.
  printLine(`running ${relative(folder, entry)}${output.columns === undefined ? `, ${watching}` : ''}`);
  child.restart();
  const signal = await Promise.race([untilSignal(), untilParentEnds(), quit]);
  clearTimeout(timer);
  watcher.close();
  await child.stop(signal);
}

function findEntry(folder: string, given: string | undefined): string {
  const found = (given === undefined ? candidates : [given]).find(
    (file) => existsSync(join(folder, file)) || existsSync(file),
  );
  if (found === undefined)
    throw cliErrors.create('CLI_NO_ENTRY', { candidates: given ?? candidates.join(', '), folder });
  return resolve(folder, found);
}

function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolveSignal) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => resolveSignal(signal));
  });
}

/** Resolves when the parent process is gone, such as `npm run dev`, whose signals do not arrive here. */
function untilParentEnds(): Promise<NodeJS.Signals> {
  const parent = process.ppid;
  return new Promise((resolveEnd) => {
    const timer = setInterval(() => {
      if (process.ppid === parent && isRunning(parent)) return;
      clearInterval(timer);
      resolveEnd('SIGTERM');
    }, parentCheckMs);
    timer.unref();
  });
}

/** On Windows a process keeps the id of a parent that has ended. */
function isRunning(pid: number): boolean {
  return process.platform !== 'win32' || safely(() => process.kill(pid, 0), false);
}
