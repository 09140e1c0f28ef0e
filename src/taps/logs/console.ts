import type { LogLevel } from '#log';
import { undoAll, replaceMethod } from '#patches';
import { splitValues } from './split-values.js';
import { writeLine } from './write-line.js';

const methods: Readonly<Record<string, LogLevel>> = {
  debug: 'debug',
  log: 'info',
  info: 'info',
  warn: 'warning',
  error: 'error',
  trace: 'debug',
};

/** Taps the console. Its output does not change. */
export function tapConsole(): () => void {
  return undoAll(
    Object.entries(methods).map(([name, level]) =>
      replaceMethod(console, name, (former, args, self) => {
        writeLine({ level, channel: 'console', ...splitValues(args) });
        return Reflect.apply(former, self, args);
      }),
    ),
  );
}
