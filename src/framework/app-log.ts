import type { LogHandler, Logger } from '#log';
import { createLogger, createScopeLogHandler } from '#log';
import type { Configuration } from './configuration.js';

/** The application's logger: what the handlers say, and in debug the log of each request for its error page. */
export function createAppLog(configuration: Configuration, handlers: readonly LogHandler[]): Logger {
  return createLogger({ handlers: configuration.debug ? [...handlers, createScopeLogHandler()] : handlers });
}
