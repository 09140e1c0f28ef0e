import type { LogLevel } from '#log';
import { replaceMethod } from '#patches';
import { currentRecording } from '#profiler';
import { fieldOf } from '../source/fields.js';
import { splitValues } from './split-values.js';
import { writeLine } from './write-line.js';

const levels: Readonly<Record<string, LogLevel>> = {
  verbose: 'debug',
  debug: 'debug',
  log: 'info',
  warn: 'warning',
  error: 'error',
  fatal: 'critical',
};

/**
 * Taps the prototype of Nest's `ConsoleLogger`, to which `Logger` writes by default. Records what it prints: without
 * disabled levels, and without redacted values (from Nest 12 on).
 */
export function tapNestLogger(prototype: object): (() => void) | undefined {
  return replaceMethod(prototype, 'printMessages', (former, args, self) => {
    const [messages, place, level = 'log', , stack, params] = args;
    const isRecorded = currentRecording() !== undefined && Array.isArray(messages);
    for (const message of isRecorded ? messages : []) {
      const { context, ...line } = splitValues([redactedBy(self, message)]);
      const fields = { ...context, context: place || undefined, params: redactedBy(self, params), stack };
      const known = Object.entries(fields).filter(([, value]) => value !== undefined);
      writeLine({
        ...line,
        level: levels[String(level)] ?? 'info',
        channel: 'nest',
        context: known.length === 0 ? undefined : Object.fromEntries(known),
      });
    }
    return Reflect.apply(former, self, args);
  });
}

/** Returns a value as the logger prints it: redacted if the logger has the option `redact`. */
function redactedBy(logger: unknown, value: unknown): unknown {
  const redact = fieldOf(logger, 'redactor') === undefined ? undefined : fieldOf(logger, 'redact');
  return value !== undefined && typeof redact === 'function' ? Reflect.apply(redact, logger, [value]) : value;
}
