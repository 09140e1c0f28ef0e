import { channel } from 'node:diagnostics_channel';
import { callMethod, deepField, fieldOf, textField } from '../source/fields.js';
import { undoAll } from '#core/patches';
import { listenToOperations, type OperationListener } from '../source/listen-to.js';
import { beginQueryAt, endByMessage } from './record-query.js';

/** Kinds of clients, their identifying properties (the first match wins), and the connection that explains queries. */
const shapes = [
  ['knex', ['client', 'raw']],
  ['kysely', ['getExecutor', 'selectFrom'], 'kysely'],
  ['postgres.js', ['unsafe', 'begin'], 'postgresql'],
  ['drizzle', ['$client', 'select']],
  ['typeorm', ['createQueryRunner', 'initialize']],
  ['mikro-orm', ['em', 'config']],
  ['prisma', ['$on', '$connect']],
  ['pg pool', ['totalCount', 'connect', 'query'], 'postgresql'],
  ['pg client', ['connectionParameters', 'query'], 'postgresql'],
  ['mongodb', ['startSession', 'db']],
  ['sqlite', ['prepare', 'exec'], 'sqlite'],
  ['mysql2 pool', ['getConnection', 'execute'], 'mysql'],
  ['mysql2 connection', ['threadId', 'execute'], 'mysql'],
  ['mongoose', ['getClient', 'model']],
  ['mongoose', ['Schema', 'model']],
] as const;

/** A kind of client that `recordQueries` accepts. */
export type ClientKind = (typeof shapes)[number][0];

export function kindOf(client: unknown): ClientKind | undefined {
  if ((typeof client !== 'object' && typeof client !== 'function') || client === null) return undefined;
  return shapes.find(([, names]) => names.every((name) => name in client))?.[0];
}

/** Returns a client's connection name in records; undefined if it has none. */
export function connectionName(client: object): string | undefined {
  const kind = kindOf(client);
  if (kind !== 'knex') return shapes.find(([name]) => name === kind)?.[2];
  const dialect = textField(fieldOf(client, 'client'), 'dialect');
  return dialect === 'sqlite3' ? 'sqlite' : dialect || undefined;
}

/** Returns the client that an ORM uses, if exposed; a TypeORM DataSource exposes it once initialized. */
export function clientBelow(client: object): unknown {
  switch (kindOf(client)) {
    case 'drizzle':
      return fieldOf(client, '$client');
    case 'typeorm':
      return deepField(client, 'driver', 'master') ?? deepField(client, 'driver', 'databaseConnection');
    case 'mikro-orm': {
      // The connection is a Knex in MikroORM 6 and a Kysely in MikroORM 7.
      const connection = callMethod(fieldOf(client, 'em'), 'getConnection');
      return callMethod(connection, 'getKnex') ?? callMethod(connection, 'getClient');
    }
    default:
      return undefined;
  }
}

/** Channel on which other modules, such as persistence, offer their clients by name. */
const others = channel('lookback:persistence:explain');
const maxClients = 50;
const kept = new Map<string, WeakRef<object>[]>(); // connection name → clients
const seen = new WeakSet<object>();

/** Registers a client, weakly, under its connection name in records, so that it can explain queries later. */
export function keepClient(connection: string, client: object): void {
  if (seen.has(client)) return;
  seen.add(client);
  const alive = (kept.get(connection) ?? []).filter((ref) => ref.deref() !== undefined);
  kept.set(connection, [...alive, new WeakRef(client)].slice(-maxClients));
}

export function clientsOf(connection: string): readonly object[] {
  const own = (kept.get(connection) ?? []).flatMap((ref) => ref.deref() ?? []).toReversed();
  others.publish({ connection, offer: (client: object) => void own.push(client) });
  return own;
}

/**
 * Listens to mysql2's channels (from 3.20 on). The pool channel only restores the scope of callers that waited for a
 * connection.
 */
export function listenToMysql2(): () => void {
  const begin: OperationListener = (message, moment) => {
    const sql = fieldOf(message, 'query');
    if (typeof sql !== 'string') return undefined;
    // `query` has already inserted its values into the statement, where values of secret names are redacted.
    const params = sql.includes('?') ? fieldOf(message, 'values') : undefined;
    const query = beginQueryAt(moment, { system: 'mysql', read: () => ({ sql, params }) });
    return endByMessage(query);
  };
  const textOf = (message: object): string => textField(message, 'query');
  return undoAll([
    listenToOperations('mysql2:query', begin, textOf),
    listenToOperations('mysql2:execute', begin, textOf),
    listenToOperations('mysql2:pool:connect', () => undefined),
  ]);
}
