import { channel } from 'node:diagnostics_channel';
import type { Channel } from 'node:diagnostics_channel';
import type { StackPlace } from '#errors';

/** Message on `lookback:persistence:query`: one SQL statement, published when it has ended. */
export interface QueryMessage {
  /** Statement with `?` placeholders. */
  readonly sql: string;
  /** Values as sent to the database, including secrets: redact them before storing them. */
  readonly params: readonly unknown[];
  /** Milliseconds, with fractions. */
  readonly durationMs: number;
  /** Rows returned or affected; undefined if the driver does not report them or the statement failed. */
  readonly rows: number | undefined;
  /** Name of the database (of its file, for SQLite). */
  readonly connection: string;
  /** Error of the statement; undefined if it succeeded. */
  readonly error: unknown;
  /** Calls that led here, innermost first, at most 12: only the application's own files. */
  readonly callSite: readonly StackPlace[];
  /** The calls are those of an earlier time at which the route sent this statement: not each stack is looked at. */
  readonly isRemembered: boolean;
}

/** Message on `lookback:persistence:flush`: one successful flush. */
export interface FlushMessage {
  readonly durationMs: number;
  readonly created: number;
  readonly updated: number;
  readonly removed: number;
}

/** Message on `lookback:persistence:change`: one entity written by a successful flush. */
export interface ChangeMessage {
  readonly action: 'create' | 'update' | 'remove';
  /** Class name. */
  readonly entity: string;
  /** Key as text. */
  readonly id: string;
  /** Written values, in the database's own types, including secrets: redact them before storing them. */
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * Message on `lookback:persistence:unflushed`: an entity that a request changed and never wrote, or a write that it did
 * not await. Published when the unit of work ends.
 */
export interface UnflushedMessage {
  readonly action: 'create' | 'update' | 'remove' | 'unawaited';
  /** Class name; for `unawaited`, the place of the call as `file:line`. */
  readonly entity: string;
  /** Key as text; empty if the entity has none yet. */
  readonly id: string;
  /** Names of the changed fields. */
  readonly fields: readonly string[];
}

/** Message on `lookback:persistence:transaction`: the begin or end of one transaction. */
export interface TransactionMessage {
  readonly kind: 'begin' | 'commit' | 'rollback';
  /** Milliseconds since the begin of the transaction; 0 for the begin itself. */
  readonly durationMs: number;
}

/** Message on `lookback:persistence:explain`: requests the ORM of a connection, for the plan of a query. */
export interface ExplainMessage {
  /** Name of the connection, as in `QueryMessage`. */
  readonly connection: string;
  readonly offer: (orm: object) => void;
}

/**
 * Channels on which persistence publishes its work. Messages are sent in the caller's asynchronous context; without
 * subscribers they cost nothing.
 */
export const persistenceChannels: Readonly<
  Record<'query' | 'flush' | 'change' | 'transaction' | 'unflushed' | 'explain', Channel>
> = {
  query: channel('lookback:persistence:query'),
  flush: channel('lookback:persistence:flush'),
  change: channel('lookback:persistence:change'),
  transaction: channel('lookback:persistence:transaction'),
  unflushed: channel('lookback:persistence:unflushed'),
  explain: channel('lookback:persistence:explain'),
};
