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

/** Returns whether a value is one of the eight log levels. */
export function isLogLevel(value: unknown): value is LogLevel {
  return (logLevels as readonly unknown[]).includes(value); // widened, because `includes` accepts only levels
}

/** One record of a log. */
export interface LogRecord {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly level: LogLevel;
  /** Part of the application that logs: `app`, `kernel`, `security` … */
  readonly channel: string;
  readonly message: string;
  /**
   * Values that belong to the message. They may be foreign objects: read them only through snapshots, and never call
   * them.
   */
  readonly context: unknown;
  /**
   * Id of the request during which the record was written (`X-Request-Id` of its response); absent outside of requests.
   */
  readonly requestId?: string | undefined;
}

/** Port: a destination of log records. Must not throw and must not block the caller. */
export interface LogHandler {
  /** Minimum level of accepted records. Default: all. A record that no handler accepts is not created. */
  readonly minLevel?: LogLevel;
  handle(record: LogRecord): void;
}
