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

/** The part of MikroORM 7's connections that is used here; they access databases through Kysely. */
interface KyselyConnection {
  getClient(): {
    getExecutor(): {
      provideConnection(use: (connection: object) => Promise<void>): Promise<void>;
    };
  };
  ensureConnection(): Promise<void>;
  begin(options?: { readonly readOnly?: boolean; readonly ctx?: unknown }): Promise<unknown>;
}

/** The driver's connection below Kysely, to which it passes each statement. */
interface StatementConnection {
  executeQuery(query: { readonly sql: string }, ...rest: readonly unknown[]): Promise<unknown>;
}

const preparedObjects = new WeakSet<object>();
/** Tells the driver's connection which `begin` is to take the lock: Kysely passes nothing on that could say so. */
const beginsWithLock = new AsyncLocalStorage<boolean>();

/**
 * Makes SQLite transactions acquire the write lock when they begin. Otherwise, a transaction that first reads and then
 * writes is refused at once if another process has written in between, regardless of `busy_timeout`, because its
 * snapshot is outdated. With the lock, it waits instead. Read-only transactions and other databases are not affected.
 */
export function beginWithLock(orm: MikroORM): void {
  const connection = orm.em.getConnection('write');
  if (!isKysely(connection)) lockKnex(connection);
  else if (isSqlite(orm.em.getPlatform())) lockKysely(connection);
}

function isSqlite(platform: object): boolean {
  const parent = Object.getPrototypeOf(platform) as object | null; // of the same kind
  return platform.constructor.name === 'SqlitePlatform' || (parent !== null && isSqlite(parent));
}

/** Whether this is a connection of MikroORM 7. */
function isKysely(connection: object): connection is KyselyConnection {
  return 'getClient' in connection && !('getKnex' in connection);
}

function lockKysely(connection: KyselyConnection): void {
  if (preparedObjects.has(connection)) return;
  preparedObjects.add(connection);
  const open = connection.begin.bind(connection);
  let isPrepared = false;
  connection.begin = async (options = {}) => {
    if (options.ctx !== undefined || options.readOnly === true) return open(options); // a savepoint needs no lock
    if (!isPrepared) {
      await connection.ensureConnection();
      await connection.getClient().getExecutor().provideConnection(prepareStatements);
      isPrepared = true;
    }
    return beginsWithLock.run(true, () => open(options));
  };
}

/** Prepares all connections of the driver: some drivers replace theirs from time to time. */
async function prepareStatements(connection: object): Promise<void> {
  const prototype = Object.getPrototypeOf(connection) as StatementConnection; // its class has the method
  if (preparedObjects.has(prototype)) return;
  preparedObjects.add(prototype);
  const { executeQuery } = prototype;
  prototype.executeQuery = function lockingQuery(query, ...rest) {
    const isBegin = query.sql === 'begin' && beginsWithLock.getStore() === true;
    return executeQuery.call(this, isBegin ? { ...query, sql: 'begin immediate' } : query, ...rest);
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
    // libsql leaves a refused statement open, and no later transaction of this connection could be committed.
    connection.__knex__disposed = error;
    throw error;
  }
}

/** Returns Knex's client, if the driver uses Knex. */
function findKnex(connection: Connection): KnexClient | undefined {
  return (connection as { getKnex?(): { readonly client: KnexClient } }).getKnex?.().client; // SQL connections have it
}
