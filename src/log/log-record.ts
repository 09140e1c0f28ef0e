import type { LogLevel } from './log-level.js';

/** One line of a log. */
export interface LogRecord {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly level: LogLevel;
  /** Which part speaks: `app`, `kernel`, `security` … */
  readonly channel: string;
  readonly message: string;
  /** Values that belong to the message, as they were given: foreign objects, to be pictured and never run. */
  readonly context: unknown;
  /** The id of the request that it was written for (`X-Request-Id` of its answer); absent outside of requests. */
  readonly requestId?: string | undefined;
}

/** Port: where records go. Must not throw and must not keep the caller waiting. */
export interface LogHandler {
  /** Least severe level that it takes; default all. A record that no handler takes is not even made. */
  readonly minLevel?: LogLevel;
  handle(record: LogRecord): void;
}
