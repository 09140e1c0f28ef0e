import type { LogHandler, Logger } from '#log';
import { createLogger, createStreamLogHandler } from '#log';
import { createLogDetail } from '../failures/log-detail.js';
import type { AppFoundation } from '../app/app-foundation.js';

/** The profiler's own messages; from `info` on, but not in a run of tests. */
export function createProfilerLog(
  { configuration, redactor }: Pick<AppFoundation, 'configuration' | 'redactor'>,
  handlers: readonly LogHandler[] | undefined,
): Logger {
  const isQuiet = configuration.env === 'test' || configuration.accessLog === 'dev'; // it starts again and again there
  const minLevel = isQuiet ? 'warning' : 'info';
  return createLogger({
    handlers: handlers ?? [createStreamLogHandler(process.stderr, { minLevel, redactor })],
    channel: 'profiler',
  });
}

/** A line a record on stderr, from `warning` on; with the error below where no record keeps it. */
export function createStderrHandler({
  configuration,
  redactor,
  flatten,
}: Pick<AppFoundation, 'configuration' | 'redactor' | 'flatten'>): LogHandler {
  return createStreamLogHandler(process.stderr, {
    redactor,
    // The access log for development has the error below the request's line.
    ...(configuration.accessLog === 'dev' ? { except: ['request'] } : {}),
    ...(configuration.profilerStore === 'off' ? { detail: createLogDetail(flatten) } : {}),
  });
}
