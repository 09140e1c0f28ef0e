/** Log records with levels and channels, and their handlers. */
export { createLogger } from './log/create-logger.js';
export type { Logger, LoggerOptions } from './log/create-logger.js';
export { isLogLevel, logLevels } from './log/log-record.js';
export type { LogLevel, LogHandler, LogRecord } from './log/log-record.js';
export { createScopeLogHandler, requestLog } from './log/scope-log-handler.js';
export type { RequestLog } from './log/scope-log-handler.js';
export { createStreamLogHandler } from './log/stream-log-handler.js';
export { currentRequestId, requestIdOf, takeRequestId } from './log/request-id.js';
