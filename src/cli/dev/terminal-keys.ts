import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { safely } from '#core/coded-error';

/** Reads single keys from the terminal. */
export interface TerminalKeys {
  /** Begins to read keys, if this process may. The terminal then passes on each key immediately, without showing it. */
  take(): void;
  /** Ends reading, and restores the terminal. */
  release(): void;
}

/** The terminal's own keys, which it no longer turns into signals while keys are read. */
const signalKeys: Readonly<Record<string, NodeJS.Signals>> = {
  '\u0003': 'SIGINT',
  '\u001a': 'SIGTSTP',
  '\u001c': 'SIGQUIT',
};

/**
 * Creates a reader of keys for the terminal; undefined without one. `onKey` is called with each character that was
 * typed, except for those that send signals, which keep their effect.
 */
export function createTerminalKeys(onKey: (key: string) => void): TerminalKeys | undefined {
  const { stdin, stdout } = process;
  // On Windows, the application could not be handed the console back in time.
  if (process.platform === 'win32' || !stdin.isTTY || !stdout.isTTY || !isInForeground()) return undefined;
  let isTaken = false;
  const release = (): void => {
    if (!isTaken) return;
    isTaken = false;
    stdin.off('data', onData);
    stdin.setRawMode(false);
    stdin.pause();
  };
  const take = (): void => {
    if (isTaken || !isInForeground()) return;
    isTaken = true;
    stdin.setRawMode(true);
    stdin.on('data', onData);
    stdin.resume();
  };
  const onData = (data: Buffer): void => {
    for (const key of data.toString('latin1')) {
      const signal = signalKeys[key];
      if (signal === undefined) onKey(key);
      else sendSignal(signal);
    }
  };
  const sendSignal = (signal: NodeJS.Signals): void => {
    release();
    if (signal === 'SIGTSTP') process.once('SIGCONT', take);
    process.kill(0, signal); // to every process that the terminal would send it to
  };
  process.once('exit', release);
  return { take, release };
}

/** Whether the terminal is this process's: a process in the background that changed its mode would be stopped. */
function isInForeground(): boolean {
  const [group, foreground] = safely(readGroups, []);
  return group !== undefined && group === foreground;
}

/** Returns this process's group and the terminal's foreground group. */
function readGroups(): readonly string[] {
  if (process.platform === 'linux') {
    const text = readFileSync('/proc/self/stat', 'utf8');
    // Behind the name, which may contain anything: state, parent, group, session, terminal, foreground group.
    const [, , group = '', , , foreground = ''] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return [group, foreground];
  }
  const text = execFileSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)], { encoding: 'utf8' });
  return text.trim().split(/\s+/);
}
