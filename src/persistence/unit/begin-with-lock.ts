import type { Connection, MikroORM } from '@mikro-orm/core';

/** What is used of a transaction of Knex, through which MikroORM speaks to SQLite. */
interface KnexTransaction {
  readonly readOnly?: boolean;
  begin(connection: KnexConnection): unknown;
  /** There when it begins. */
  readonly trxClient?: { query(connection: KnexConnection, sql: string): Promise<unknown> };
}

/** Knex opens another in the place of one that is marked. */
interface KnexConnection {
  __knex__disposed?: unknown;
}

interface KnexClient {
  readonly dialect: string;
  transaction(...given: readonly unknown[]): KnexTransaction;
}

const preparedClients = new WeakSet<object>();

/**
 * Lets transactions of SQLite take the write lock when they begin. One that first reads and then writes is
 * refused at once where another process has written in between, whatever `busy_timeout` says: what it read is no
 * longer so. One that begins with the lock waits its turn. Read-only transactions, and those of other databases, begin
 * as before.
 */
export function beginWithLock(orm: MikroORM): void {
  const client = findClient(orm.em.getConnection('write'));
  if (client === undefined || client.dialect !== 'sqlite3' || preparedClients.has(client)) return;
  preparedClients.add(client);
  const open = client.transaction.bind(client);
  client.transaction = (...given) => {
    const transaction = open(...given); // begins a moment later
    if (transaction.readOnly !== true) transaction.begin = (connection) => begin(transaction, connection);
    return transaction;
  };
}

async function begin({ trxClient }: KnexTransaction, connection: KnexConnection): Promise<void> {
  try {
    await trxClient?.query(connection, 'BEGIN IMMEDIATE;');
  } catch (error) {
    // libsql leaves a refused statement open, and with it no later transaction of this connection could be committed.
    connection.__knex__disposed = error;
    throw error;
  }
}

/** Knex's client, where the driver is one of those that use it. */
function findClient(connection: Connection): KnexClient | undefined {
  if (!('getKnex' in connection) || typeof connection.getKnex !== 'function') return undefined;
  const knex: unknown = connection.getKnex();
  if (typeof knex !== 'function' || !('client' in knex)) return undefined;
  const client = knex.client as Partial<KnexClient>; // looked at below
  return typeof client.transaction === 'function' ? (client as KnexClient) : undefined; // has what is used
}
