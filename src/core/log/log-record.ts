import { randomFillSync } from 'node:crypto';
import { type Scope, type ScopeKey, createScopeKey, currentScope } from '#core/scope';

/** Severities as in RFC 5424 (syslog), least severe first. */
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

/** A log record's severity (RFC 5424). */
export type LogLevel = (typeof logLevels)[number];

/** Returns whether a value is one of the eight log levels. */
export function isLogLevel(value: unknown): value is LogLevel {
  return (logLevels as readonly unknown[]).includes(value); // widened, because `includes` accepts only levels
}

/** One log record. */
export interface LogRecord {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly level: LogLevel;
  /** Part of the application that logs: `app`, `kernel`, `security` … */
  readonly channel: string;
  readonly message: string;
  /**
   * Values that belong to the message, possibly foreign objects: read them only through snapshots, and never call their
   * methods.
   */
  readonly context: unknown;
  /** Id of the request that wrote the record (its response's `X-Request-Id`); absent outside requests. */
  readonly requestId?: string | undefined;
}

/** Port: a destination for log records. Must not throw and must not block the caller. */
export interface LogHandler {
  /** Minimum level that is accepted. Default: all. A record that no handler accepts is not created. */
  readonly minLevel?: LogLevel;
  handle(record: LogRecord): void;
}

const requestId: ScopeKey<string> = createScopeKey<string>('request id');

/** Returns a request's id for logs, responses and other services; generated on first use (32 hexadecimal digits). */
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

/** Returns the current request's id; undefined outside requests. */
export function currentRequestId(): string | undefined {
  const scope = currentScope();
  return scope === undefined ? undefined : requestIdOf(scope);
}

const idBytes = 16;
/** Buffer of random bytes for many ids, because each call to the generator is expensive. */
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

/** One request's log. */
export interface RequestLog {
  readonly records: LogRecord[];
  /** Number of records discarded because of the limit. */
  dropped: number;
}

/** The current request's log; set once something is logged. */
export const requestLog: ScopeKey<RequestLog> = createScopeKey<RequestLog>('request log');

/** Creates a handler that stores each record in its request's scope, at most `limit` per request. */
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
