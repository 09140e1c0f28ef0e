import { undoAll, replaceMethod, type Undo } from '#patches';
import { deepField } from '../source/fields.js';
import { recordTarget, stopRecording } from '../source/targets.js';
import { type ClientKind, clientBelow, kindOf } from './query-clients.js';
import { tapKnex } from './orms.js';
import { tapKysely } from './orms.js';
import { tapMongo } from './mongo.js';
import { tapPgClient, tapPgPool } from './pg.js';
import { tapPostgres } from './postgres.js';
import { forgetClient, keepClient } from './query-clients.js';
import { tapPrisma } from './orms.js';
import { tapSqlite } from './sqlite.js';

const supportedClients =
  'a Pool or Client of pg, the sql of postgres.js, Knex, Kysely, Drizzle, a DataSource of TypeORM, MikroORM, a client of ' +
  'Prisma or mongodb, and databases of better-sqlite3, node:sqlite and @photostructure/sqlite';

/**
 * Records the queries of a database client in the record of the request that sends them, until `stopRecording`:
 * `const pool = recordQueries(new Pool())`. Known by their shape are pools and clients of pg, postgres.js, Knex,
 * Kysely, Drizzle, TypeORM, MikroORM, Prisma (by its events), mongodb, better-sqlite3, `node:sqlite` and
 * `@photostructure/sqlite`; mysql2 and Mongoose report themselves. Returns the client. A client of postgres.js
 * stands for all of its copy of that package. Anything else throws `TAPS_UNKNOWN_TARGET`.
 */
export function recordQueries<Target extends object>(target: Target): Target {
  const tapExplainable = (client: object): Undo | undefined => {
    const undo = tap(client);
    return undo === undefined ? undefined : undoAll([undo, explainable(client)]);
  };
  return recordTarget(target, tapExplainable, { function: 'recordQueries', known: supportedClients });
}

/** Registers a client under its connection name, so that it can explain queries. Clients without a name of their own are skipped. */
function explainable(client: object): Undo | undefined {
  const name = connectionName(client);
  if (name === undefined) return undefined;
  keepClient(name, client);
  return () => forgetClient(client);
}

const connectionNames: Readonly<Partial<Record<ClientKind, string>>> = {
  kysely: 'kysely',
  'postgres.js': 'postgresql',
  'pg pool': 'postgresql',
  'pg client': 'postgresql',
  sqlite: 'sqlite',
  'mysql2 pool': 'mysql',
  'mysql2 connection': 'mysql',
};

function connectionName(client: object): string | undefined {
  const kind = kindOf(client);
  if (kind !== 'knex') return kind === undefined ? undefined : connectionNames[kind];
  const dialect = deepField(client, 'client', 'dialect');
  return dialect === 'sqlite3' ? 'sqlite' : typeof dialect === 'string' ? dialect : undefined;
}

const nothingToUndo = (): void => undefined;

const taps: Readonly<Record<ClientKind, (client: object) => Undo | undefined>> = {
  knex: (client) => tapKnex(client, tap),
  kysely: (client) => tapKysely(client) ?? nothingToUndo,
  'postgres.js': tapPostgres,
  drizzle: tapBelow,
  typeorm: tapTypeOrm,
  'mikro-orm': tapBelow, // for instances that `persistence` did not create
  prisma: tapPrisma,
  'pg pool': (client) => tapPgPool(client) ?? nothingToUndo,
  'pg client': (client) => tapPgClient(client) ?? nothingToUndo,
  mongodb: tapMongo,
  sqlite: (client) => tapSqlite(client) ?? nothingToUndo,
  // These publish their queries on diagnostics channels.
  'mysql2 pool': () => nothingToUndo,
  'mysql2 connection': () => nothingToUndo,
  mongoose: () => nothingToUndo,
};

function tap(client: object): Undo | undefined {
  const kind = kindOf(client);
  return kind === undefined ? undefined : taps[kind](client);
}

/** Taps the client that an ORM uses. */
function tapBelow(orm: object): Undo | undefined {
  const client = clientBelow(orm);
  if ((typeof client !== 'object' && typeof client !== 'function') || client === null) return undefined;
  recordQueries(client);
  return () => stopRecording(client);
}

/** Taps a DataSource of TypeORM, which has a driver's pool or database only once it is initialized. */
function tapTypeOrm(source: object): Undo {
  let undoBelow = tapBelow(source);
  const undo = replaceMethod(source, 'initialize', async (former, args, self) => {
    const result: unknown = await Reflect.apply(former, self, args);
    undoBelow = tapBelow(source);
    return result;
  });
  return undoAll([undo, () => undoBelow?.()]);
}
