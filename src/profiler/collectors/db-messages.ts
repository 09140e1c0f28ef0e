/**
 * What is taken from messages on the persistence channels. The channels are not ours, and anybody may publish on
 * them: a message that has another shape is none.
 */
export interface QueryFact {
  readonly sql: string;
  readonly params: readonly unknown[];
  readonly durationMs: number;
  readonly rows: number | undefined;
  readonly connection: string;
  /** Message of the error; undefined where there was none. */
  readonly error: string | undefined;
  /** Frames, innermost first, as they came. */
  readonly callSite: unknown;
}

export interface FlushFact {
  readonly durationMs: number;
  readonly created: number;
  readonly updated: number;
  readonly removed: number;
}

export interface ChangeFact {
  readonly action: string;
  readonly entity: string;
  readonly id: string;
  readonly values: unknown;
}

export interface TransactionFact {
  readonly kind: string;
}

type Message = Readonly<Record<string, unknown>>;

export function parseQueryMessage(message: unknown): QueryFact | undefined {
  const { sql, params, durationMs, rows, connection, error, callSite } = fieldsOf(message);
  if (typeof sql !== 'string' || typeof durationMs !== 'number') return undefined;
  return {
    sql,
    params: Array.isArray(params) ? params : [],
    durationMs: millisecondsOf(durationMs),
    rows: isCount(rows) ? rows : undefined,
    connection: textOr(connection, '').slice(0, 200),
    error: error === undefined ? undefined : messageOf(error),
    callSite,
  };
}

export function parseFlushMessage(message: unknown): FlushFact | undefined {
  const { durationMs, created, updated, removed } = fieldsOf(message);
  if (typeof durationMs !== 'number') return undefined;
  return {
    durationMs: millisecondsOf(durationMs),
    created: countOr0(created),
    updated: countOr0(updated),
    removed: countOr0(removed),
  };
}

export function parseChangeMessage(message: unknown): ChangeFact | undefined {
  const { action, entity, id, values } = fieldsOf(message);
  if (typeof action !== 'string' || typeof entity !== 'string') return undefined;
  return { action, entity, id: textOr(id, ''), values };
}

export function parseTransactionMessage(message: unknown): TransactionFact | undefined {
  const { kind } = fieldsOf(message);
  return typeof kind === 'string' ? { kind } : undefined;
}

function messageOf(error: unknown): string {
  const { message } = fieldsOf(error);
  return typeof message === 'string' ? message : textOr(error, 'failed');
}

function fieldsOf(value: unknown): Message {
  return typeof value === 'object' && value !== null ? (value as Message) : {}; // read by name, each checked
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

function countOr0(value: unknown): number {
  return isCount(value) ? value : 0;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function millisecondsOf(value: number): number {
  return value > 0 && value < Number.MAX_SAFE_INTEGER ? value : 0;
}
