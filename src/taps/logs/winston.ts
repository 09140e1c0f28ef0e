import { isLogLevel } from '#log';
import { replaceMethod, undoAll } from '#patches';
import { recordTarget } from '../source/stop-recording.js';
import { fieldOf, ownData } from '../source/fields.js';
import { writeLine } from './write-line.js';

/**
 * Records the lines of a logger of winston and its children in the record of the request that they are written for;
 * returns the logger. If winston is loaded before the request, this call is not needed; neither is it for pino and the
 * console.
 */
export function recordLogs<Logger extends object>(logger: Logger): Logger {
  return recordTarget(
    logger,
    (target) => tapWinston(target) ?? ('write' in target ? undoAll([]) : undefined),
    {
      function: 'recordLogs',
      known: 'what createLogger of winston gives',
    },
  );
}

/**
 * Taps a logger of winston, or its prototype. Lines are recorded when the logger is called, in the caller's asynchronous
 * context; a transport would receive them later, from a stream.
 */
export function tapWinston(logger: object): (() => void) | undefined {
  return replaceMethod(logger, 'write', (former, args, self) => {
    const [info] = args;
    const level = fieldOf(info, 'level');
    if (typeof level === 'string' && isWritten(self, level)) {
      const { level: _level, message, ...context } = ownData(info) ?? {};
      const text = typeof message === 'string' ? message : '';
      const rest = Object.keys(context).length === 0 ? undefined : context;
      writeLine({ level: levelOf(level), channel: 'winston', message: text, context: rest });
    }
    return Reflect.apply(former, self, args);
  });
}

/** Whether winston will write the level: it discards disabled levels only later. */
function isWritten(logger: unknown, level: string): boolean {
  const isEnabled = fieldOf(logger, 'isLevelEnabled');
  return typeof isEnabled !== 'function' || Reflect.apply(isEnabled, logger, [level]) === true;
}

function levelOf(name: string): Parameters<typeof writeLine>[0]['level'] {
  if (isLogLevel(name)) return name;
  if (name === 'warn') return 'warning';
  return name === 'http' || name === 'info' ? 'info' : 'debug';
}
