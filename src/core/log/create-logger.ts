import {
  checkOptions,
  listOf,
  objectWith,
  oneOf,
  type OptionsSchema,
  type OptionType,
  optionsSchema,
  required,
  text,
} from '#core/options';
import { createScopeKey, type ScopeKey } from '#core/scope';
import { type LogLevel, logLevels, type LogHandler, type LogRecord, currentRequestId } from './log-record.js';

export interface LoggerOptions {
  readonly handlers: readonly LogHandler[];
  /** Minimum level that is handled. Default `debug`. */
  readonly minLevel?: LogLevel;
  /** The records' channel. Default `app`. */
  readonly channel?: string;
}

type Write = (message: string, context?: unknown) => void;

/** Writes log records, with one method for each level. Never throws. */
export interface Logger extends Record<LogLevel, Write> {
  log(level: LogLevel, message: string, context?: unknown): void;
  /** Returns whether any handler accepts records at this level, so that callers can skip computing their content. */
  takes(level: LogLevel): boolean;
  /** Returns the same logger for another channel. */
  channel(name: string): Logger;
}

/** The log of the application that handles a request, for code without its own logger. Set by the kernel. */
export const requestLogger: ScopeKey<Logger> = createScopeKey<Logger>('logger');

/** A list of log handlers. */
export const logHandlers: OptionType<readonly LogHandler[]> = listOf(
  objectWith<LogHandler>('an object with a handle method', 'handle'),
);

export const loggerSchema: OptionsSchema<LoggerOptions> = optionsSchema<LoggerOptions>({
  handlers: required(logHandlers),
  minLevel: oneOf(...logLevels),
  channel: text,
});

/**
 * Creates a logger that passes each record to the handlers that accept its level. Errors thrown by handlers are
 * ignored.
 */
export function createLogger(options: LoggerOptions): Logger {
  checkOptions('createLogger()', options, loggerSchema);
  const takers = options.handlers.map((handler) => ({ handler, minRank: rankOf(handler.minLevel) }));
  const minRank = Math.max(rankOf(options.minLevel), Math.min(...takers.map((taker) => taker.minRank)));
  const channel = options.channel ?? 'app';
  const log = (level: LogLevel, message: string, context?: unknown): void => {
    const rank = logLevels.indexOf(level);
    if (rank < minRank) return;
    const record: LogRecord = {
      time: Date.now(),
      level,
      channel,
      message: typeof message === 'string' ? message : typeof message,
      context,
      requestId: currentRequestId(),
    };
    for (const taker of takers) if (rank >= taker.minRank) offer(taker.handler, record);
  };
  const writers = Object.fromEntries(
    logLevels.map((level): [LogLevel, Write] => [level, (message, context) => log(level, message, context)]),
  ) as Record<LogLevel, Write>; // one entry for each level
  return {
    ...writers,
    log,
    takes: (level) => logLevels.indexOf(level) >= minRank,
    channel: (name) => createLogger({ ...options, channel: name }),
  };
}

function rankOf(level: LogLevel = 'debug'): number {
  return logLevels.indexOf(level);
}

function offer(handler: LogHandler, record: LogRecord): void {
  try {
    writeQuietly(() => handler.handle(record));
  } catch {
    // A failing log handler must not break the code that logs, and its error cannot be logged.
  }
}

let quiet = 0; // active calls to `writeQuietly`

/** Runs code that writes output which is already recorded, so that it is not recorded again as process output. */
export function writeQuietly<Result>(write: () => Result): Result {
  quiet++;
  try {
    return write();
  } finally {
    quiet--;
  }
}

/** Returns whether a caller up the stack has already recorded the current output. */
export function isWrittenQuietly(): boolean {
  return quiet > 0;
}
