import { type LogLevel, logLevels, type LogHandler, type LogRecord } from './log-record.js';
import { currentRequestId } from './request-id.js';

export interface LoggerOptions {
  readonly handlers: readonly LogHandler[];
  /** Least severe level that is handled. Default `debug`. */
  readonly minLevel?: LogLevel;
  /** Default `app`. */
  readonly channel?: string;
}

type Write = (message: string, context?: unknown) => void;

/** Writes log records; one method for each level. Never throws, whatever it receives. */
export interface Logger extends Record<LogLevel, Write> {
  log(level: LogLevel, message: string, context?: unknown): void;
  /** Whether any handler accepts records of this level: if none does, their content need not be computed. */
  takes(level: LogLevel): boolean;
  /** The same logger under another channel. */
  channel(name: string): Logger;
}

/** Passes each record to the handlers that accept its level. Never throws: errors of handlers are dropped. */
export function createLogger(options: LoggerOptions): Logger {
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
    handler.handle(record);
  } catch {
    // A log handler that fails must not fail what was being logged, and there is nowhere left to say it.
  }
}
