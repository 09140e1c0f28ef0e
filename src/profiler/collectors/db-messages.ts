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
  readonly callSite: readonly CallFact[];
}

interface CallFact {
  readonly name: string | undefined;
  readonly file: string;
  readonly line: number;
  readonly column: number;
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
    durationMs,
    rows: typeof rows === 'number' ? rows : undefined,
    connection: textOr(connection, ''),
    error: error === undefined ? undefined : messageOf(error),
    callSite: (Array.isArray(callSite) ? callSite : []).flatMap(parseCall),
  };
}

export function parseFlushMessage(message: unknown): FlushFact | undefined {
  const { durationMs, created, updated, removed } = fieldsOf(message);
  if (typeof durationMs !== 'number') return undefined;
  return { durationMs, created: numberOr(created), updated: numberOr(updated), removed: numberOr(removed) };
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

function parseCall(call: unknown): CallFact[] {
  const { name, file, line, column } = fieldsOf(call);
  if (typeof file !== 'string') return [];
  return [
    {
      name: typeof name === 'string' ? name : undefined,
      file,
      line: numberOr(line),
      column: numberOr(column),
    },
  ];
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

function numberOr(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
