import { type ScopeKey, createScopeKey, currentScope } from '#scope';
import type { LogHandler, LogRecord } from './log-record.js';

/** The log of one request. */
export interface RequestLog {
  readonly records: LogRecord[];
  /** Number of records discarded because of the limit. */
  dropped: number;
}

/** The log of the current request; set once something is logged. */
export const requestLog: ScopeKey<RequestLog> = createScopeKey<RequestLog>('request log');

/** Creates a handler that stores each record in the scope of its request, at most `limit` per request. */
export function createScopeLogHandler(limit = 500): LogHandler {
  return {
    handle(record) {
      const scope = currentScope();
      if (scope === undefined) return;
      const log = scope.get(requestLog);
      if (log === undefined) scope.set(requestLog, { records: [record], dropped: 0 });
      else if (log.records.length < limit) log.records.push(record);
      else log.dropped++;
    },
  };
}
