import type { Connection, MikroORM } from '@mikro-orm/core';

/** The part of a Knex transaction that is used here; MikroORM accesses SQLite through Knex. */
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

const preparedClients = new WeakSet<object>();

/**
 * Makes SQLite transactions acquire the write lock when they begin. Otherwise, a transaction that first reads and then
 * writes is refused at once if another process has written in between, regardless of `busy_timeout`, because its
 * snapshot is outdated. With the lock, it waits instead. Read-only transactions and other databases are not affected.
 */
export function beginWithLock(orm: MikroORM): void {
  const client = findClient(orm.em.getConnection('write'));
  if (client === undefined || client.dialect !== 'sqlite3' || preparedClients.has(client)) return;
  preparedClients.add(client);
  const open = client.transaction.bind(client);
  client.transaction = (...given) => {
    const transaction = open(...given); // begins asynchronously
    if (transaction.readOnly !== true) transaction.begin = (connection) => begin(transaction, connection);
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
function findClient(connection: Connection): KnexClient | undefined {
  return (connection as { getKnex?(): { readonly client: KnexClient } }).getKnex?.().client; // SQL connections have it
}
