import { AsyncLocalStorage } from 'node:async_hooks';
import type { Connection, MikroORM } from '@mikro-orm/core';

/** The part of a Knex transaction that is used here; MikroORM 6 accesses SQLite through Knex. */
interface KnexTransaction {
  readonly readOnly?: boolean;
  begin(connection: KnexConnection): unknown;
  /** Set when the transaction begins. */
  readonly trxClient?: { query(connection: KnexConnection, sql: string): Promise<unknown> };
}

/** Knex replaces a connection that has this mark. */
interface KnexConnection {
  __knex__disposed?: unknown;
}

interface KnexClient {
  readonly dialect: string;
  transaction(...given: readonly unknown[]): KnexTransaction;
}

/** The part of MikroORM 7's connections to SQLite that is used here; they access it through Kysely. */
interface KyselyConnection {
  getClient(): {
    getExecutor(): { provideConnection(use: (connection: object) => Promise<void>): Promise<void> };
    startTransaction(): TransactionBuilder;
  };
  /** libsql's or better-sqlite3's database. */
  readonly database?: { exec?(sql: string): void };
}

interface TransactionBuilder {
  execute(): Promise<{ rollback(): { execute(): Promise<void> } }>;
  setIsolationLevel(level: never): TransactionBuilder;
}

/** The driver's connection below Kysely, to which it passes each statement. */
interface StatementConnection {
  executeQuery: (
    this: object,
    query: { readonly sql: string },
    ...rest: readonly unknown[]
  ) => Promise<unknown>;
}

/** One attempt to begin a transaction with the lock. */
interface Attempt {
  /** Executes a statement without preparing it, if the driver's connection is known. */
  readonly execute: ((sql: string) => void) | undefined;
  isRefused?: boolean;
  refusal?: unknown;
}

const preparedObjects = new WeakSet<object>();
/** Passes an attempt to the driver's connection, for which Kysely has no option. */
const attempts = new AsyncLocalStorage<Attempt>();

/**
 * Makes SQLite transactions acquire the write lock when they begin. Otherwise, a transaction that first reads and then
 * writes is refused at once if another process has written in between, regardless of `busy_timeout`, because its
 * snapshot is outdated. With the lock, it waits instead. Read-only transactions and other databases are not affected.
 */
export function beginWithLock(orm: MikroORM): void {
  const connection = orm.em.getConnection('write');
  if (hasKysely(connection)) {
    if (isSqlite(orm.em.getPlatform())) lockKysely(connection);
  } else lockKnex(connection);
}

/** Whether this is a MikroORM 7 connection. */
function hasKysely(connection: object): connection is KyselyConnection {
  return 'getClient' in connection && !('getKnex' in connection);
}

function isSqlite(platform: object): boolean {
  const parent = Object.getPrototypeOf(platform) as object | null; // both are platforms
  return platform.constructor.name === 'SqlitePlatform' || (parent !== null && isSqlite(parent));
}

function lockKysely(connection: KyselyConnection): void {
  const client = connection.getClient();
  if (preparedObjects.has(client)) return;
  preparedObjects.add(client);
  const start = client.startTransaction.bind(client);
  client.startTransaction = () => locking(start(), connection);
}

/** Makes a transaction begin with the lock, unless its access mode is set: MikroORM sets it only for read-only ones. */
function locking(builder: TransactionBuilder, connection: KyselyConnection): TransactionBuilder {
  const open = builder.execute.bind(builder);
  const setIsolationLevel = builder.setIsolationLevel.bind(builder);
  builder.setIsolationLevel = (level) => locking(setIsolationLevel(level), connection);
  builder.execute = async () => {
    await connection.getClient().getExecutor().provideConnection(prepareStatements);
    const { database } = connection;
    const attempt: Attempt = { execute: database?.exec?.bind(database) };
    const transaction = await attempts.run(attempt, open);
    if (attempt.isRefused !== true) return transaction;
    await transaction.rollback().execute(); // releases the connection, which Kysely does not do where `begin` fails
    throw attempt.refusal;
  };
  return builder;
}

/** Prepares all of the driver's connections: some drivers replace theirs from time to time. */
async function prepareStatements(connection: object): Promise<void> {
  const prototype = Object.getPrototypeOf(connection) as StatementConnection; // its class has the method
  if (preparedObjects.has(prototype)) return;
  preparedObjects.add(prototype);
  const { executeQuery } = prototype;
  prototype.executeQuery = async function lockingQuery(query, ...rest) {
    const attempt = query.sql === 'begin' ? attempts.getStore() : undefined;
    if (attempt === undefined) return executeQuery.call(this, query, ...rest);
    const sql = 'begin immediate';
    try {
      if (attempt.execute === undefined) return await executeQuery.call(this, { ...query, sql }, ...rest);
      attempt.execute(sql); // libsql leaves a refused statement open if it was prepared, so that nothing can be committed
      return { rows: [] };
    } catch (error) {
      Object.assign(attempt, { isRefused: true, refusal: error });
      return executeQuery.call(this, query, ...rest);
    }
  };
}

function lockKnex(connection: Connection): void {
  const client = findKnex(connection);
  if (client === undefined || client.dialect !== 'sqlite3' || preparedObjects.has(client)) return;
  preparedObjects.add(client);
  const open = client.transaction.bind(client);
  client.transaction = (...given) => {
    const transaction = open(...given); // begins asynchronously
    if (transaction.readOnly !== true) transaction.begin = (knex) => begin(transaction, knex);
    return transaction;
  };
}

async function begin({ trxClient }: KnexTransaction, connection: KnexConnection): Promise<void> {
  try {
    await trxClient?.query(connection, 'BEGIN IMMEDIATE;');
  } catch (error) {
    // libsql leaves a refused statement open, and no later transaction on this connection could be committed.
    connection.__knex__disposed = error;
    throw error;
  }
}

/** Returns Knex's client, if the driver uses Knex. */
function findKnex(connection: Connection): KnexClient | undefined {
  return (connection as { getKnex?(): { readonly client: KnexClient } }).getKnex?.().client; // SQL connections have it
}
