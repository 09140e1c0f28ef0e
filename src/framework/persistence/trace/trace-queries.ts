import { type Channel, channel } from 'node:diagnostics_channel';
import type {
  AnyEntity,
  ChangeSet,
  Connection,
  EntityManager,
  EventSubscriber,
  FlushEventArgs,
  LogContext,
  MikroORM,
  TransactionEventArgs,
} from '@mikro-orm/core';
import { CallSiteMemory, captureCallSites, type StackPlace } from '#core/errors';
import { checkValue, optionType } from '#core/options';
import { requestRoute } from '#core/http';
import { currentScope, reportAsOne } from '#core/scope';
import { mayBeChanged, mikroOrm, objectIdOf, originalOf, rowOf } from '../orm/mikro-orm.js';

/** Message on `lookback:persistence:query-start`: one SQL statement, published when it begins. */
export interface QueryStartMessage {
  /** Statement with `?` placeholders. */
  readonly sql: string;
  /** Values as sent to the database, including secrets: redact them before storing them. */
  readonly params: readonly unknown[];
  /** Start time on the clock of `performance.now`. */
  readonly startedAt: number;
  /** The database's name (for SQLite, its file name). */
  readonly connection: string;
  /**
   * The calls that led here, innermost first, at most 12: only in the application's own files. Often empty at the start
   * of a write that a flush sends, and completed soon after.
   */
  readonly callSite: readonly StackPlace[];
  /** The calls were captured when the route sent this statement earlier: not every stack is captured. */
  readonly isRemembered: boolean;
  /** lookback sent the statement by itself, to store a version. */
  readonly isOwn?: true;
}

/**
 * Message on `lookback:persistence:query`: the start message's object, completed and published when the statement has
 * ended.
 */
export interface QueryMessage extends QueryStartMessage {
  /** Milliseconds, with fractions. */
  readonly durationMs: number;
  /** Rows returned or affected; undefined if the driver does not report them or the statement failed. */
  readonly rows: number | undefined;
  /** The statement's error; undefined if it succeeded. */
  readonly error: unknown;
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

/** An entity that a request changed but never wrote, or a write that it did not await; published when the unit ends. */
export interface UnflushedMessage {
  readonly action: 'create' | 'update' | 'remove' | 'unawaited';
  /** Class name; for `unawaited`, the call's location as `file:line`. */
  readonly entity: string;
  /** Key as text; empty if the entity has none yet. */
  readonly id: string;
  readonly fields: readonly string[];
}

/** Message on `lookback:persistence:transaction`: the start or end of one transaction. */
export interface TransactionMessage {
  readonly kind: 'begin' | 'commit' | 'rollback';
  /** Milliseconds since the start of the transaction; 0 for the start itself. */
  readonly durationMs: number;
}

/** Message on `lookback:persistence:explain`: requests a connection's ORM, to get a query plan. */
export interface ExplainMessage {
  /** Name of the connection, as in `QueryMessage`. */
  readonly connection: string;
  readonly offer: (orm: object) => void;
}

/** Channels on which persistence publishes its work, in the caller's context; they cost nothing without subscribers. */
export const persistenceChannels: Readonly<
  Record<'queryStart' | 'query' | 'flush' | 'change' | 'transaction' | 'unflushed' | 'explain', Channel>
> = {
  queryStart: channel('lookback:persistence:query-start'),
  query: channel('lookback:persistence:query'),
  flush: channel('lookback:persistence:flush'),
  change: channel('lookback:persistence:change'),
  transaction: channel('lookback:persistence:transaction'),
  unflushed: channel('lookback:persistence:unflushed'),
  explain: channel('lookback:persistence:explain'),
};

type ExecuteQuery = <Result>(
  query: string,
  run: () => Promise<Result>,
  context?: LogContext,
) => Promise<Result>;

const own: LogContext = { sentBy: 'lookback' };
/** Options of MikroORM's driver that mark a statement as lookback's own; reads have one name for it, writes the other. */
export const asOwnStatement: Readonly<Record<'logging' | 'loggerContext', LogContext>> = {
  logging: own,
  loggerContext: own,
};

const tracedObjects = new WeakSet<object>();

/** Offers an ORM for query plans, until the returned function is called. */
export function offerPlans(orm: MikroORM): () => void {
  const offer = (message: unknown): void => {
    const { connection, offer: take } = message as ExplainMessage; // the type of messages on this channel
    if (connection === String(orm.config.get('dbName'))) take(orm);
  };
  persistenceChannels.explain.subscribe(offer);
  return () => {
    persistenceChannels.explain.unsubscribe(offer);
  };
}

const initializedOrm = optionType<MikroORM>(
  'the result of MikroORM.init()',
  (value) => typeof value === 'object' && value !== null && 'em' in value && 'config' in value,
);

/** Makes an ORM's connections publish their queries on the query channel. Further calls have no effect. */
export function traceQueries(orm: MikroORM): void {
  checkValue('traceQueries()', 'orm', orm, initializedOrm);
  for (const type of ['write', 'read'] as const) {
    const connection = orm.em.getConnection(type);
    if (tracedObjects.has(connection)) continue;
    tracedObjects.add(connection);
    trace(connection, String(orm.config.get('dbName')));
  }
}

function trace(connection: Connection, name: string): void {
  // Protected in the types, but the only method through which every statement passes, with its values and its result.
  const execute: ExecuteQuery = connection['executeQuery'];
  connection['executeQuery'] = (query, run, context) => {
    const runQuery = (): ReturnType<typeof run> =>
      execute.call(connection, query, run, context) as ReturnType<typeof run>; // returns what `run` returns
    if (!persistenceChannels.query.hasSubscribers) return runQuery();
    const sql = typeof context?.['query'] === 'string' ? context['query'] : query;
    const params: unknown = context?.['params'];
    const message: QueryStartMessage = {
      sql,
      params: Array.isArray(params) ? params : [],
      startedAt: performance.now(),
      connection: name,
      ...takeLocation(sql, locations),
      ...(context?.['sentBy'] === own['sentBy'] ? { isOwn: true } : undefined),
    };
    persistenceChannels.queryStart.publish(message);
    return follow(message, runQuery);
  };
}

/** Runs a query and completes its message. An asynchronous function, so that the stack leads through it. */
async function follow<Result>(message: QueryStartMessage, run: () => Promise<Result>): Promise<Result> {
  const { sql, startedAt } = message;
  const publish = (rows: number | undefined, error?: unknown): void => {
    const durationMs = performance.now() - startedAt;
    const ended: QueryMessage = Object.assign(message, { durationMs, rows, error });
    if (error !== undefined || durationMs >= slowMs)
      for (const memory of [locations, lateLocations]) memory.doubt(routeName(), sql);
    persistenceChannels.query.publish(ended);
  };
  const running = reportAsOne(run);
  try {
    if (message.callSite.length === 0) Object.assign(message, await takeLateLocation(sql));
    const result = await running;
    publish(rowsOf(result));
    return result;
  } catch (error) {
    publish(undefined, error);
    throw error;
  }
}

/** Returns the number of rows in a result: a list of rows, a single row, or a write's result. */
function rowsOf(result: unknown): number | undefined {
  if (Array.isArray(result)) return result.length;
  if (typeof result !== 'object' || result === null)
    return result === undefined || result === null ? 0 : undefined;
  if (!('affectedRows' in result)) return 1;
  return typeof result.affectedRows === 'number' ? result.affectedRows : undefined;
}

/** Slower queries are examined more closely. */
const slowMs = 100;
/** Where the application sends its statements; shared by the whole process. */
const locations = new CallSiteMemory();
/** The same for statements whose call sites are not known at once. */
const lateLocations = new CallSiteMemory();
/** Microtasks after which every function that MikroORM has called for a statement awaits the next one. */
const linkingTicks = 3;

type Location = Pick<QueryStartMessage, 'callSite' | 'isRemembered'>;

/**
 * Returns the application's calls that led here, innermost first, captured now or when it sent the statement earlier.
 */
function takeLocation(sql: string, memory: CallSiteMemory): Location {
  const { sites: callSite, isRemembered } = memory.take(routeName(), sql, () =>
    captureCallSites(takeLocation, { depth: 80, limit: 12 })(),
  );
  return { callSite, isRemembered };
}

/**
 * Returns the call sites of a statement that MikroORM sends on a stack without the application, such as an `INSERT` of
 * a flush: V8 follows promises only once they are awaited, and some functions return theirs before.
 */
async function takeLateLocation(sql: string): Promise<Location> {
  for (let tick = 0; tick < linkingTicks; tick++) await Promise.resolve();
  return takeLocation(sql, lateLocations);
}

function routeName(): string {
  return currentScope()?.get(requestRoute)?.name ?? '';
}

/** Publishes flushes, changes and transactions. */
export class TraceSubscriber implements EventSubscriber<AnyEntity> {
  readonly #flushes = new WeakMap<object, number>();
  readonly #transactions = new WeakMap<object, number>();

  beforeFlush({ uow }: FlushEventArgs): void {
    if (persistenceChannels.flush.hasSubscribers) this.#flushes.set(uow, performance.now());
  }

  afterFlush({ uow }: FlushEventArgs): void {
    const changes = uow.getChangeSets();
    if (changes.length === 0) return;
    const start = this.#flushes.get(uow);
    this.#flushes.delete(uow);
    if (start !== undefined && persistenceChannels.flush.hasSubscribers) {
      persistenceChannels.flush.publish(flushMessage(changes, performance.now() - start));
    }
    if (!persistenceChannels.change.hasSubscribers) return;
    for (const change of changes) persistenceChannels.change.publish(changeMessage(change));
  }

  afterTransactionStart({ em }: TransactionEventArgs): void {
    if (!persistenceChannels.transaction.hasSubscribers) return;
    this.#transactions.set(em, performance.now());
    publish('begin', 0);
  }

  afterTransactionCommit({ em }: TransactionEventArgs): void {
    this.#end(em, 'commit');
  }

  afterTransactionRollback({ em }: TransactionEventArgs): void {
    this.#end(em, 'rollback');
  }

  #end(em: object, kind: 'commit' | 'rollback'): void {
    const start = this.#transactions.get(em);
    if (start === undefined) return;
    this.#transactions.delete(em);
    publish(kind, performance.now() - start);
  }
}

function publish(kind: TransactionMessage['kind'], durationMs: number): void {
  persistenceChannels.transaction.publish({ kind, durationMs } satisfies TransactionMessage);
}

function flushMessage(changes: readonly ChangeSet<AnyEntity>[], durationMs: number): FlushMessage {
  const count = (action: ChangeMessage['action']): number =>
    changes.filter(({ type }) => actionOf(type) === action).length;
  return { durationMs, created: count('create'), updated: count('update'), removed: count('remove') };
}

function changeMessage(change: ChangeSet<AnyEntity>): ChangeMessage {
  return {
    action: actionOf(change.type),
    entity: change.meta.className,
    id: String(change.getSerializedPrimaryKey()),
    values: { ...change.payload },
  };
}

function actionOf(type: string): ChangeMessage['action'] {
  if (type === 'create') return 'create';
  return type.startsWith('update') ? 'update' : 'remove';
}

const maxMessages = 20;

/**
 * Publishes the entities that a request changed, added or removed but never flushed. Only compares entities that were
 * accessed.
 */
export function publishUnflushed(managers: readonly EntityManager[]): void {
  const { unflushed } = persistenceChannels;
  if (!unflushed.hasSubscribers) return;
  for (const em of managers)
    for (const message of unflushedOf(em).slice(0, maxMessages)) unflushed.publish(message);
}

/** Publishes that a write was still running when the response was ready. */
export function publishUnawaited(location: string): void {
  const message: UnflushedMessage = { action: 'unawaited', entity: location, id: '', fields: [] };
  persistenceChannels.unflushed.publish(message);
}

function unflushedOf(em: EntityManager): readonly UnflushedMessage[] {
  const work = em.getUnitOfWork(false);
  const messages: UnflushedMessage[] = [];
  const removed = work.getRemoveStack();
  for (const entity of removed) messages.push(messageOf('remove', entity, []));
  for (const entity of work.getPersistStack())
    if (originalOf(entity) === undefined) messages.push(messageOf('create', entity, []));
  for (const entity of work.getIdentityMap().values()) {
    if (!mayBeChanged(entity) || removed.has(entity)) continue;
    const fields = changedFields(em, entity);
    if (fields.length > 0) messages.push(messageOf('update', entity, fields));
  }
  return messages;
}

function messageOf(
  action: UnflushedMessage['action'],
  entity: object,
  fields: readonly string[],
): UnflushedMessage {
  const id = action === 'create' ? '' : objectIdOf(entity);
  return { action, entity: mikroOrm.helper(entity).__meta.className, id, fields };
}

/** Returns the fields in which an entity differs from its loaded row. */
function changedFields(em: EntityManager, entity: object): readonly string[] {
  const loaded = originalOf(entity);
  if (loaded === undefined) return [];
  const { className } = mikroOrm.helper(entity).__meta;
  return Object.keys(em.getComparator().diffEntities<object>(className, loaded, rowOf(em, entity)));
}
