import { isError } from '#core/errors';
import { writeQuietly } from '#core/log';
import { replaceMethod, undoAll } from '#core/patches';
import { currentRecording } from '#profiler';
import { fieldOf, ownData } from '../source/fields.js';
import { recordTarget, instrumentByMethod } from '../source/targets.js';
import { isPrintedWarning } from './node-warnings.js';
import { levelOf, messageOfError, recordLogLine, splitValues } from './record-log-line.js';

/** Instruments the console without changing its output. */
export function instrumentConsole(): () => void {
  return undoAll(
    ['debug', 'log', 'info', 'warn', 'error', 'trace'].map((name) =>
      replaceMethod(console, name, (former, args, self) => {
        if (!isPrintedWarning(args[0]))
          recordLogLine({ level: levelOf(name), channel: 'console', ...splitValues(args) });
        return writeQuietly(() => Reflect.apply(former, self, args));
      }),
    ),
  );
}

/** Records what Nest's `ConsoleLogger` writes: without disabled levels and, from Nest 12 on, without redacted values. */
export function instrumentNestLogger(prototype: object): () => void {
  const printStack = replaceMethod(prototype, 'printStackTrace', (former, args, self) =>
    writeQuietly(() => Reflect.apply(former, self, args)),
  );
  const print = replaceMethod(prototype, 'printMessages', (former, args, self) => {
    const [messages, location, level = 'log', , stack, params] = args;
    const isRecorded = currentRecording() !== undefined && Array.isArray(messages);
    for (const message of isRecorded ? messages : []) {
      const { context, ...line } = splitValues([redactedBy(self, message)]);
      const fields = { ...context, context: location || undefined, params: redactedBy(self, params), stack };
      const known = Object.entries(fields).filter(([, value]) => value !== undefined);
      recordLogLine({
        ...line,
        level: levelOf(level),
        channel: 'nest',
        context: known.length === 0 ? undefined : Object.fromEntries(known),
      });
    }
    return writeQuietly(() => Reflect.apply(former, self, args));
  });
  return undoAll([printStack, print]);
}

/** Returns a value as the logger prints it: redacted if the logger has the `redact` option. */
function redactedBy(logger: unknown, value: unknown): unknown {
  const redact = fieldOf(logger, 'redactor') === undefined ? undefined : fieldOf(logger, 'redact');
  return value !== undefined && typeof redact === 'function' ? Reflect.apply(redact, logger, [value]) : value;
}

/**
 * Adds the lines of a winston logger and its children to the current request's record; returns the logger. Not needed
 * if winston is loaded before the request, nor for pino and the console.
 */
export function recordLogs<Logger extends object>(logger: Logger): Logger {
  return recordTarget(logger, instrumentByMethod({ write: instrumentWinston }), {
    function: 'recordLogs',
    known: 'a logger from winston’s createLogger()',
  });
}

/**
 * Instruments a winston logger, or its prototype, in the caller's context; a transport would receive the lines later.
 */
export function instrumentWinston(logger: object): (() => void) | undefined {
  return replaceMethod(logger, 'write', (former, args, self) => {
    const [info] = args;
    const level = fieldOf(info, 'level');
    if (typeof level === 'string' && isWritten(self, level)) {
      const { level: _level, message, ...context } = ownData(info) ?? {};
      // A logged error is the line itself, and its message is not copied as a field.
      const text = typeof message === 'string' ? message : messageOfError(isError(info) ? info : message);
      const fields = isError(info) ? { ...context, err: info } : context;
      const rest = Object.keys(fields).length === 0 ? undefined : fields;
      recordLogLine({ level: levelOf(level), channel: 'winston', message: text, context: rest });
    }
    return writeQuietly(() => Reflect.apply(former, self, args));
  });
}

/** Returns whether winston will write the level; it discards disabled levels only later. */
function isWritten(logger: unknown, level: string): boolean {
  const isEnabled = fieldOf(logger, 'isLevelEnabled');
  return typeof isEnabled !== 'function' || Reflect.apply(isEnabled, logger, [level]) === true;
}
