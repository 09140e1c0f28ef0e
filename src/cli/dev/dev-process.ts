import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { TerminalKeys } from './terminal-keys.js';

export interface DevProcessOptions {
  readonly entry: string;
  /** Module to load before the entry, if needed. */
  readonly loader: string | undefined;
  /** This command's version. */
  readonly version: string;
  /** The trigger for restarts, as printed when the program serves. */
  readonly watching: string;
  /** Called with a description of how the program ended, unless this process stopped it. */
  readonly onEnd: (end: string) => void;
  /** Keys that are read while the program serves and does not read the terminal itself. */
  readonly keys: TerminalKeys | undefined;
  /** Called when the program serves, with the URL of the profiler's pages, if there are any. */
  readonly onServing: (profiler: string | undefined) => void;
}

interface ProgramOptions extends DevProcessOptions {
  /** Whether it has served before. */
  readonly isRestart: boolean;
}

export interface DevProcess {
  /** Stops the program if it runs, and starts it. Further calls before the start do nothing. */
  restart(): void;
  /** Stops the program with a signal; resolves when it has exited. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

/** Milliseconds that the program has to exit before it is killed. */
const stopTimeoutMs = 6000;
/** Loaded before the program, to end it when this process is gone for any reason. */
const endWithParent = `
  process.once('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${stopTimeoutMs}).unref();
  });
  process.channel?.unref(); // the program must end when it has nothing left to do
`;

/** File descriptor of the pipe that announces that the terminal was released. */
const releasedFd = 4;

/** Loaded before the program, so that \`serve\` can talk to this process. */
function connectRunner({ version, watching, keys, isRestart }: ProgramOptions): string {
  const facts = JSON.stringify({ version, watching, isRestart });
  return `
  let hasKeys = ${keys !== undefined};
  let isServing = false;
  // Child processes that share the terminal, such as a bundler or a prompt. A forked one has other channels.
  let sharing = 0;
  const giveUpKeys = () => {
    hasKeys = false;
    if (!process.connected) return;
    process.send({ lookback: 'stdin' });
    try {
      readSync(${releasedFd}, new Uint8Array(1)); // returns when the terminal is released, or its owner gone
    } catch {}
  };
  globalThis[Symbol.for('lookback.dev')] = {
    ...${facts},
    hasKeys: () => hasKeys && sharing === 0,
    serving: (profiler) => {
      isServing = true;
      if (hasKeys && sharing > 0) giveUpKeys();
      if (process.connected) process.send({ lookback: 'serving', profiler });
    },
  };
  // A program that looks at its stdin gets the terminal before it can read from it or change its mode.
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin');
  if (hasKeys && isMainThread && stdin?.configurable)
    Object.defineProperty(process, 'stdin', {
      ...stdin,
      get() {
        Object.defineProperty(process, 'stdin', stdin);
        if (hasKeys) giveUpKeys();
        return process.stdin;
      },
    });
  const { spawn } = ChildProcess.prototype;
  if (hasKeys && isMainThread && typeof spawn === 'function')
    ChildProcess.prototype.spawn = function (...args) {
      const stdio = args[0]?.stdio;
      const [first] = Array.isArray(stdio) && !stdio.includes('ipc') ? stdio : [stdio];
      const shares = first === 'inherit' || first === 0;
      if (shares && isServing && hasKeys) giveUpKeys();
      const result = Reflect.apply(spawn, this, args);
      if (shares && !isServing && this.pid !== undefined) {
        sharing++;
        this.once('exit', () => sharing--);
      }
      return result;
    };
`;
}

function moduleUrl(text: string): string {
  const imports =
    "import { readSync } from 'node:fs'; import { ChildProcess } from 'node:child_process'; import { isMainThread } from 'node:worker_threads';";
  return `data:text/javascript,${encodeURIComponent(imports + text)}`;
}

export function createDevProcess(options: DevProcessOptions): DevProcess {
  let running: ChildProcess | undefined;
  let restarting = false;
  let stopped = false;
  let isRestart = false;
  const { keys } = options;
  const start = (): void => {
    const child = (running = spawnProgram({ ...options, isRestart }));
    const onEnd = (end: string): void => {
      if (child !== running || restarting || stopped) return;
      // Nothing else reads the terminal, whose original mode the program has restored.
      keys?.release();
      keys?.take();
      options.onEnd(end);
    };
    child.on('message', (message) => {
      const { lookback, profiler } = Object(message) as { lookback?: unknown; profiler?: unknown }; // as sent by the modules loaded before it
      if (lookback === 'stdin') {
        keys?.release();
        readsTerminal = true;
        (child.stdio[releasedFd] as Writable | null)?.write('x'); // created as a pipe
      } else if (lookback === 'serving') {
        isRestart = true;
        if (!readsTerminal && !stopped) keys?.take();
        options.onServing(typeof profiler === 'string' ? profiler : undefined);
      }
    });
    let readsTerminal = false;
    child.once('error', (error) => onEnd(error.message));
    child.once('exit', (code, signal) => onEnd(signal ?? `exit code ${code}`));
  };
  const restart = async (): Promise<void> => {
    if (restarting) return; // the program has not been started yet
    restarting = true;
    keys?.release();
    await end(running, 'SIGTERM');
    restarting = false;
    if (!stopped) start();
  };
  return {
    restart: () => void restart(),
    async stop(signal) {
      stopped = true;
      keys?.release();
      await end(running, signal);
    },
  };
}

function spawnProgram(options: ProgramOptions): ChildProcess {
  const { entry, loader, keys } = options;
  const first = moduleUrl(endWithParent + connectRunner(options));
  const imports = [first, ...(loader === undefined ? [] : [loader])].flatMap((one) => ['--import', one]);
  return spawn(
    process.execPath,
    ['--enable-source-maps', '--disable-warning=ExperimentalWarning', ...imports, entry],
    {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc', ...(keys === undefined ? [] : (['pipe'] as const))],
      env: { ...process.env, ACCESS_LOG: process.env['ACCESS_LOG'] ?? 'dev' },
    },
  );
}

async function end(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
    return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  child.kill(signal);
  await gone;
  clearTimeout(timer);
}
