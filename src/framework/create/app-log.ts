import type { LogHandler, Logger } from '#log';
import { createLogger, createStreamLogHandler } from '#log';
import { createLogDetail } from '../failures/log-detail.js';
import type { AppFoundation } from '../app/app-foundation.js';

/**
 * Creates the logger for messages of the profiler itself: from `info` on, in tests and with `ACCESS_LOG=dev` from
 * `warning` on.
 */
export function createProfilerLog(
  { configuration, redactor }: Pick<AppFoundation, 'configuration' | 'redactor'>,
  handlers: readonly LogHandler[] | undefined,
): Logger {
  const isQuiet = configuration.env === 'test' || configuration.accessLog === 'dev'; // both restart the application often
  const minLevel = isQuiet ? 'warning' : 'info';
  return createLogger({
    handlers: handlers ?? [createStreamLogHandler(process.stderr, { minLevel, redactor })],
    channel: 'profiler',
  });
}

/**
 * Creates the default log handler: one line per record on stderr, from `warning` on; followed by the error if requests
 * are not recorded.
 */
export function createStderrHandler({
  configuration,
  redactor,
  flatten,
}: Pick<AppFoundation, 'configuration' | 'redactor' | 'flatten'>): LogHandler {
  return createStreamLogHandler(process.stderr, {
    redactor,
    // The access log for development already shows the error below the line of the request.
    ...(configuration.accessLog === 'dev' ? { except: ['request'] } : {}),
    ...(configuration.profilerStore === 'off' ? { detail: createLogDetail(flatten) } : {}),
  });
}
