import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';

export interface DevProcessOptions {
  readonly entry: string;
  /** Module to load before the entry, if the entry needs it. */
  readonly loader: string | undefined;
  /** Called with how the program ended, unless this process stopped it. */
  readonly onEnd: (end: string) => void;
}

/** A program that can be restarted. */
export interface DevProcess {
  /** Ends the program if it runs, and starts it. Further calls in the meantime cause one more restart. */
  restart(): void;
  /** Ends the program with a signal; resolves when it has exited. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

/** Milliseconds that the program has for ending before it is killed. */
const stopTimeoutMs = 6000;
/**
 * Code that runs in the program and ends it when this process is gone, however that ended. On Windows a process keeps
 * the id of a parent that has ended.
 */
const guard = `data:text/javascript,${encodeURIComponent(`
  const parent = ${process.pid};
  const isGone = () => {
    try { process.kill(parent, 0); } catch { return true; }
    return process.platform !== 'win32' && process.ppid !== parent;
  };
  setInterval(() => { if (isGone()) process.kill(process.pid, 'SIGTERM'); }, 500).unref();`)}`;

export function createDevProcess(options: DevProcessOptions): DevProcess {
  let running: ChildProcess | undefined;
  let restarting = false;
  let again = false;
  let stopped = false;
  const restart = async (): Promise<void> => {
    if (restarting) {
      again = true;
      return;
    }
    restarting = true;
    do {
      again = false;
      await end(running, 'SIGTERM');
    } while (again);
    restarting = false;
    if (!stopped) running = start(options, (child) => child === running && !restarting && !stopped);
  };
  return {
    restart: () => void restart(),
    async stop(signal) {
      stopped = true;
      await end(running, signal);
    },
  };
}

function start(
  { entry, loader, onEnd }: DevProcessOptions,
  isWanted: (child: ChildProcess) => boolean,
): ChildProcess {
  const imports = [guard, ...(loader === undefined ? [] : [loader])].flatMap((one) => ['--import', one]);
  const child = spawn(
    process.execPath,
    ['--enable-source-maps', '--disable-warning=ExperimentalWarning', ...imports, entry],
    {
      stdio: 'inherit',
      env: { ...process.env, ACCESS_LOG: process.env['ACCESS_LOG'] ?? 'dev' },
    },
  );
  child.once('error', (error) => onEnd(error.message));
  child.once('exit', (code, signal) => {
    if (isWanted(child)) onEnd(signal ?? `exit code ${code}`);
  });
  return child;
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
