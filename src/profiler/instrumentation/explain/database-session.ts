import { clientBelow, type ClientKind, kindOf } from '../queries/query-clients.js';
import { callMethod, deepField, fieldOf, listField, textField } from '../source/fields.js';

/** One client connection, held while a plan is fetched. */
export interface DatabaseSession {
  readonly system: 'postgresql' | 'mysql' | 'sqlite';
  /** True if the connection is held exclusively, so that it can open a transaction. */
  readonly isOwn: boolean;
  query(sql: string, values?: readonly unknown[]): Promise<readonly unknown[]>;
  /** Returns the connection to its pool, or closes it if the database did not answer in time. */
  release(end: SessionEnd): unknown;
}

/** How a session ended; `isLate` if the database did not answer in time. */
interface SessionEnd {
  readonly isLate: boolean;
}

/** Opens a session on any SQL client that `recordQueries` accepts; undefined for other values. */
export async function openSession(client: unknown): Promise<DatabaseSession | undefined> {
  const kind = kindOf(client);
  if (kind === undefined) return undefined;
  const known = client as object; // only objects have a kind
  const below = clientBelow(known);
  if (below !== undefined) return openSession(below);
  return openers[kind]?.(known) ?? driverSession(known, { isOwn: false, release: () => undefined });
}

const openers: Readonly<
  Partial<Record<ClientKind, (client: object) => Promise<DatabaseSession | undefined>>>
> = {
  knex: (knex) => openKnex(fieldOf(knex, 'client')),
  kysely: openKysely,
  'postgres.js': openPostgres,
  'pg pool': openPgPool,
  'mysql2 pool': openMysqlPool,
};

type Held = Pick<DatabaseSession, 'isOwn' | 'release'>;

function driverSession(connection: unknown, held: Held): DatabaseSession | undefined {
  switch (kindOf(connection)) {
    case 'pg client':
      return {
        ...held,
        system: 'postgresql',
        query: async (sql, values) => listField(await callMethod(connection, 'query', sql, values), 'rows'),
      };
    case 'sqlite':
      return {
        ...held,
        system: 'sqlite',
        query: async (sql, values = []) =>
          listOf(callMethod(callMethod(connection, 'prepare', sql), 'all', ...values)),
      };
    case 'mysql2 connection':
      return { ...held, system: 'mysql', query: mysqlQuery(connection) };
    default:
      return undefined;
  }
}

async function openKnex(pool: unknown): Promise<DatabaseSession | undefined> {
  const connection: unknown = await callMethod(pool, 'acquireConnection');
  const release = (): unknown => callMethod(pool, 'releaseConnection', connection);
  const session = driverSession(connection, { isOwn: true, release });
  if (session === undefined) await release();
  return session;
}

async function openPgPool(pool: object): Promise<DatabaseSession | undefined> {
  const client: unknown = await callMethod(pool, 'connect');
  const release = ({ isLate }: SessionEnd): unknown => callMethod(client, 'release', isLate);
  return driverSession(client, { isOwn: true, release });
}

async function openMysqlPool(pool: object): Promise<DatabaseSession | undefined> {
  const connection: unknown = await callMethod(callMethod(pool, 'promise') ?? pool, 'getConnection');
  const release = ({ isLate }: SessionEnd): unknown => callMethod(connection, isLate ? 'destroy' : 'release');
  return { system: 'mysql', isOwn: true, release, query: mysqlQuery(connection) };
}

function mysqlQuery(connection: unknown): DatabaseSession['query'] {
  const promised = callMethod(connection, 'promise') ?? connection;
  return async (sql, values) => {
    const [rows] = listOf(await callMethod(promised, 'query', sql, values));
    return listOf(rows);
  };
}

async function openPostgres(sql: object): Promise<DatabaseSession | undefined> {
  const own: unknown = await callMethod(sql, 'reserve');
  return {
    system: 'postgresql',
    isOwn: own !== undefined,
    query: async (text, values = []) => listOf(await callMethod(own ?? sql, 'unsafe', text, values)),
    release: () => callMethod(own, 'release'),
  };
}

/** Opens a session on Kysely, which lends a connection for a callback's duration. */
async function openKysely(kysely: object): Promise<DatabaseSession | undefined> {
  const executor = callMethod(kysely, 'getExecutor');
  const adapter = textField(deepField(executor, 'adapter', 'constructor'), 'name');
  const [, system] = systems.find(([name]) => adapter.startsWith(name)) ?? [];
  if (system === undefined) return undefined;
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const connection = await new Promise<unknown>((resolve, reject) => {
    const hold = (given: unknown): Promise<void> => {
      resolve(given);
      return finished;
    };
    Promise.resolve(callMethod(executor, 'provideConnection', hold)).catch(reject);
  });
  return {
    system,
    isOwn: true,
    release: finish,
    async query(sql, parameters = []) {
      const query = { kind: 'RawNode', sqlFragments: [sql], parameters: [] };
      const compiled = { sql, parameters, query, queryId: { queryId: 'explain' } };
      return listField(await callMethod(connection, 'executeQuery', compiled), 'rows');
    },
  };
}

/** Prefixes in Kysely's adapter names. */
const systems = [
  ['Postgres', 'postgresql'],
  ['Mysql', 'mysql'],
  ['Sqlite', 'sqlite'],
] as const;

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
