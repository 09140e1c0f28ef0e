import { type ScopeKey, createScopeKey, currentScope } from '#scope';
import type { LogHandler, LogRecord } from './log-record.js';

/** The log of one request. */
export interface RequestLog {
  readonly records: LogRecord[];
  /** How many were not kept once the limit was reached. */
  dropped: number;
}

/** The records of the current request; there once something was logged. */
export const requestLog: ScopeKey<RequestLog> = createScopeKey<RequestLog>('request log');

/** Files each record under the request that it was written for, at most `limit` of them. */
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
