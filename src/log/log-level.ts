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
