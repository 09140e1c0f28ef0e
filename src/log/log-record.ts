/** Severities of RFC 5424 (syslog), least severe first. */
export const logLevels = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

/** Severity of a log record, of RFC 5424. */
export type LogLevel = (typeof logLevels)[number];

/** True for the eight names of `LogLevel`. */
export function isLogLevel(value: unknown): value is LogLevel {
  return (logLevels as readonly unknown[]).includes(value); // widened so that anything may be looked for
}

/** One line of a log. */
export interface LogRecord {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly level: LogLevel;
  /** Which part speaks: `app`, `kernel`, `security` … */
  readonly channel: string;
  readonly message: string;
  /** Values that belong to the message, unchanged: foreign objects, to be shown as snapshots and never called. */
  readonly context: unknown;
  /** The id of the request that it was written for (`X-Request-Id` of its answer); absent outside of requests. */
  readonly requestId?: string | undefined;
}

/** Port: where records go. Must not throw and must not keep the caller waiting. */
export interface LogHandler {
  /** Lowest level that it accepts; default all. A record that no handler accepts is not even created. */
  readonly minLevel?: LogLevel;
  handle(record: LogRecord): void;
}
