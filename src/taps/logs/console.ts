import { types } from 'node:util';
import type { LogLevel } from '#log';
import { undoAll, type Method, replaceMethod } from '#patches';
import { writeLine } from './write-line.js';

const methods: Readonly<Record<string, LogLevel>> = {
  debug: 'debug',
  log: 'info',
  info: 'info',
  warn: 'warning',
  error: 'error',
  trace: 'debug',
};

/** The console: texts and numbers are the message, anything else its context. What it prints is as it was. */
export function tapConsole(): () => void {
  return undoAll(
    Object.entries(methods).map(([name, level]) =>
      replaceMethod(console, name, (former) => {
        const write: Method = function write(this: unknown, ...args) {
          const others = args.filter((arg) => !isSimple(arg));
          const message = args.filter(isSimple).map(String).join(' ');
          const context = others.length === 0 ? undefined : { values: others };
          writeLine({ level, channel: 'console', message: message || messageOfError(others[0]), context });
          return Reflect.apply(former, this, args);
        };
        return write;
      }),
    ),
  );
}

/** What an error that is printed alone says. */
function messageOfError(value: unknown): string {
  const message: unknown = types.isNativeError(value)
    ? Object.getOwnPropertyDescriptor(value, 'message')?.value
    : undefined;
  return typeof message === 'string' ? message : '';
}

function isSimple(value: unknown): boolean {
  return (
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    typeof value === 'bigint'
  );
}
