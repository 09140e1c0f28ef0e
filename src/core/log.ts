/** Log records with levels and channels, and their handlers. */
export {
  createLogger,
  isWrittenQuietly,
  type Logger,
  type LoggerOptions,
  requestLogger,
  writeQuietly,
} from './log/create-logger.js';
export { isLogLevel, logLevels, type LogLevel, type LogHandler, type LogRecord } from './log/log-record.js';
export { createScopeLogHandler, requestLog, type RequestLog } from './log/log-record.js';
export { createStreamLogHandler } from './log/stream-log-handler.js';
export { currentRequestId, requestIdOf, takeRequestId } from './log/log-record.js';
export { logHandlers } from './log/create-logger.js';
