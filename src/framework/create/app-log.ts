import type { LogHandler, Logger } from '#log';
import { createLogger, createScopeLogHandler, createStreamLogHandler } from '#log';
import type { AppFoundation } from './app-foundation.js';
import type { Configuration } from '../configuration/configuration.js';

/** The application's logger: what the handlers say, and in debug the log of each request for its error page. */
export function createAppLog(configuration: Configuration, handlers: readonly LogHandler[]): Logger {
  return createLogger({ handlers: configuration.debug ? [...handlers, createScopeLogHandler()] : handlers });
}

/** What the profiler says of itself; from `info` on, but not in a run of tests. */
export function createProfilerLog(
  { configuration, redactor }: Pick<AppFoundation, 'configuration' | 'redactor'>,
  handlers: readonly LogHandler[] | undefined,
): Logger {
  const level = configuration.env === 'test' ? 'warning' : 'info';
  return createLogger({
    handlers: handlers ?? [createStreamLogHandler(process.stderr, { level, redactor })],
    channel: 'profiler',
  });
}
