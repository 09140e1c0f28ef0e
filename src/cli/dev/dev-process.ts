import { type ChildProcess, spawn } from 'node:child_process';

export interface DevProcessOptions {
  readonly entry: string;
  /** Module to load before the entry, if needed. */
  readonly loader: string | undefined;
  /** Called with a description of the program's end, unless this process stopped it. */
  readonly onEnd: (end: string) => void;
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
const endWithParent = `data:text/javascript,${encodeURIComponent(`
  process.once('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${stopTimeoutMs}).unref();
  });
  process.channel?.unref(); // the program must end when it has nothing left to do
`)}`;

export function createDevProcess(options: DevProcessOptions): DevProcess {
  let running: ChildProcess | undefined;
  let restarting = false;
  let stopped = false;
  const start = (): void => {
    const child = (running = spawnProgram(options));
    const onEnd = (end: string): void => {
      if (child === running && !restarting && !stopped) options.onEnd(end);
    };
    child.once('error', (error) => onEnd(error.message));
    child.once('exit', (code, signal) => onEnd(signal ?? `exit code ${code}`));
  };
  const restart = async (): Promise<void> => {
    if (restarting) return; // the program has not been started yet
    restarting = true;
    await end(running, 'SIGTERM');
    restarting = false;
    if (!stopped) start();
  };
  return {
    restart: () => void restart(),
    async stop(signal) {
      stopped = true;
      await end(running, signal);
    },
  };
}

function spawnProgram({ entry, loader }: DevProcessOptions): ChildProcess {
  const imports = [endWithParent, ...(loader === undefined ? [] : [loader])].flatMap((one) => [
    '--import',
    one,
  ]);
  return spawn(
    process.execPath,
    ['--enable-source-maps', '--disable-warning=ExperimentalWarning', ...imports, entry],
    {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
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
