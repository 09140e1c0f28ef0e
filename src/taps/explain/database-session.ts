import { deepField, fieldOf } from '../source/fields.js';

/** One connection of a client, held while a plan is fetched. */
export interface DatabaseSession {
  readonly system: 'postgresql' | 'mysql' | 'sqlite';
  /** It is held exclusively, so that a transaction can be opened on it. */
  readonly isOwn: boolean;
  query(sql: string, values?: readonly unknown[]): Promise<readonly unknown[]>;
  /** Gives it back; one that has not answered is closed instead. */
  release(end: SessionEnd): unknown;
}

/** Whether the database has not answered in time. */
interface SessionEnd {
  readonly isLate: boolean;
}

/** Opens a connection of whatever `recordQueries` takes and SQL is written for; undefined of anything else. */
export async function openSession(client: unknown): Promise<DatabaseSession | undefined> {
  if ((typeof client !== 'object' && typeof client !== 'function') || client === null) return undefined;
  const below = clientBelow(client);
  if (below !== undefined) return openSession(below);
  if (has(client, 'client', 'raw')) return openKnex(fieldOf(client, 'client'));
  if (has(client, 'getExecutor', 'selectFrom')) return openKysely(client);
  if (has(client, 'unsafe', 'begin')) return openPostgres(client);
  if (has(client, 'totalCount', 'connect', 'query')) return openPgPool(client);
  return driverSession(client, { isOwn: false, release: () => undefined }) ?? openMysqlPool(client);
}

/** What stands below an ORM, where it keeps that. */
function clientBelow(client: object): unknown {
  if (has(client, '$client', 'select')) return fieldOf(client, '$client');
  if (has(client, 'createQueryRunner', 'initialize'))
    return deepField(client, 'driver', 'master') ?? deepField(client, 'driver', 'databaseConnection');
  if (!has(client, 'em', 'config')) return undefined;
  const connection = call(fieldOf(client, 'em'), 'getConnection');
  return call(connection, 'getKnex') ?? call(connection, 'getClient');
}

type Held = Pick<DatabaseSession, 'isOwn' | 'release'>;

/** A session of a driver's single connection, known by its shape. */
function driverSession(connection: object, held: Held): DatabaseSession | undefined {
  if (has(connection, 'connectionParameters', 'query'))
    return {
      ...held,
      system: 'postgresql',
      query: async (sql, values) => listOf(fieldOf(await call(connection, 'query', sql, values), 'rows')),
    };
  if (has(connection, 'prepare', 'exec'))
    return {
      ...held,
      system: 'sqlite',
      query: async (sql, values = []) => listOf(call(call(connection, 'prepare', sql), 'all', ...values)),
    };
  if (!has(connection, 'threadId', 'execute')) return undefined;
  return { ...held, system: 'mysql', query: mysqlQuery(connection) };
}

async function openKnex(pool: unknown): Promise<DatabaseSession | undefined> {
  const connection: unknown = await call(pool, 'acquireConnection');
  const release = (): unknown => call(pool, 'releaseConnection', connection);
  const session = isObject(connection) ? driverSession(connection, { isOwn: true, release }) : undefined;
  if (session === undefined) await release();
  return session;
}

async function openPgPool(pool: object): Promise<DatabaseSession | undefined> {
  const client: unknown = await call(pool, 'connect');
  const release = ({ isLate }: SessionEnd): unknown => call(client, 'release', isLate);
  return isObject(client) ? driverSession(client, { isOwn: true, release }) : undefined;
}

async function openMysqlPool(pool: object): Promise<DatabaseSession | undefined> {
  if (!has(pool, 'getConnection', 'execute')) return undefined;
  const connection: unknown = await call(call(pool, 'promise') ?? pool, 'getConnection');
  if (!isObject(connection)) return undefined;
  const release = ({ isLate }: SessionEnd): unknown => call(connection, isLate ? 'destroy' : 'release');
  return { system: 'mysql', isOwn: true, release, query: mysqlQuery(connection) };
}

function mysqlQuery(connection: object): DatabaseSession['query'] {
  const promised = call(connection, 'promise') ?? connection;
  return async (sql, values) => {
    const [rows] = listOf(await call(promised, 'query', sql, values));
    return listOf(rows);
  };
}

async function openPostgres(sql: object): Promise<DatabaseSession | undefined> {
  const own: unknown = has(sql, 'reserve') ? await call(sql, 'reserve') : undefined;
  return {
    system: 'postgresql',
    isOwn: own !== undefined,
    query: async (text, values = []) => listOf(await call(own ?? sql, 'unsafe', text, values)),
    release: () => call(own, 'release'),
  };
}

/** Its connections belong to whoever is called with one, for as long as that one works. */
async function openKysely(kysely: object): Promise<DatabaseSession | undefined> {
  const executor = call(kysely, 'getExecutor');
  const system = systems.find(({ name }) => name.test(adapterName(fieldOf(executor, 'adapter'))))?.system;
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
    Promise.resolve(call(executor, 'provideConnection', hold)).catch(reject);
  });
  return {
    system,
    isOwn: true,
    release: finish,
    async query(sql, parameters = []) {
      const query = { kind: 'RawNode', sqlFragments: [sql], parameters: [] };
      const compiled = { sql, parameters, query, queryId: { queryId: 'explain' } };
      return listOf(fieldOf(await call(connection, 'executeQuery', compiled), 'rows'));
    },
  };
}

const systems: readonly { readonly name: RegExp; readonly system: DatabaseSession['system'] }[] = [
  { name: /^Postgres/, system: 'postgresql' },
  { name: /^Mysql/, system: 'mysql' },
  { name: /^Sqlite/, system: 'sqlite' },
];

function adapterName(adapter: unknown): string {
  const name = deepField(adapter, 'constructor', 'name');
  return typeof name === 'string' ? name : '';
}

/** Calls a method of a foreign object; undefined where it has none. */
function call(target: unknown, name: string, ...args: readonly unknown[]): unknown {
  const method = fieldOf(target, name);
  return typeof method === 'function' ? Reflect.apply(method, target, args) : undefined;
}

function has(target: object, ...names: readonly string[]): boolean {
  return names.every((name) => name in target);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
