import { randomFillSync } from 'node:crypto';
import { type Scope, type ScopeKey, createScopeKey, currentScope } from '#scope';
import type { LogHandler, LogRecord } from './log-record.js';

/** The id of a request, once it was received or generated. */
const requestId: ScopeKey<string> = createScopeKey<string>('request id');

/**
 * Returns the id of a request for logs, responses and other services; generates it on first use (32 hexadecimal digits).
 */
export function requestIdOf(scope: Scope): string {
  if (scope.parent !== undefined) return requestIdOf(scope.parent);
  let id = scope.get(requestId);
  if (id === undefined) scope.set(requestId, (id = makeId()));
  return id;
}

/** Sets the id that was received with the request. */
export function takeRequestId(scope: Scope, id: string): void {
  scope.set(requestId, id);
}

/** Returns the id of the current request; undefined outside of requests. */
export function currentRequestId(): string | undefined {
  const scope = currentScope();
  return scope === undefined ? undefined : requestIdOf(scope);
}

const idBytes = 16;
/** Buffer of random bytes for many ids, because each call of the generator is expensive. */
const randomBytes = Buffer.alloc(idBytes * 2048);
let usedBytes = randomBytes.length; // number of bytes already used for ids

function makeId(): string {
  if (usedBytes === randomBytes.length) {
    randomFillSync(randomBytes);
    usedBytes = 0;
  }
  usedBytes += idBytes;
  return randomBytes.toString('hex', usedBytes - idBytes, usedBytes);
}

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
