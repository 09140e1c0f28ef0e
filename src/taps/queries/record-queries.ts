import { replaceMethod } from '#patches';
import { recordTarget } from '../source/targets.js';
import { type ClientKind, clientBelow, connectionName, keepClient, kindOf } from './query-clients.js';
import { tapKnex, tapKysely, tapPrisma } from './orms.js';
import { tapMongo } from './mongo.js';
import { tapPgClient, tapPgPool } from './pg.js';
import { tapPostgres } from './postgres.js';
import { tapSqlite } from './sqlite.js';

const supportedClients =
  'a Pool or Client of pg, the sql of postgres.js, Knex, Kysely, Drizzle, a DataSource of TypeORM, MikroORM, a client of ' +
  'Prisma or mongodb, and databases of better-sqlite3, node:sqlite and @photostructure/sqlite';

/**
 * Records the queries of a database client in the record of the request that sends them:
 * `const pool = recordQueries(new Pool())`. Known by their shape are pools and clients of pg, postgres.js, Knex,
 * Kysely, Drizzle, TypeORM, MikroORM, Prisma (by its events), mongodb, better-sqlite3, `node:sqlite` and
 * `@photostructure/sqlite`; mysql2 and Mongoose report themselves. Returns the client. A client of postgres.js
 * stands for all of its copy of that package. Anything else throws `TAPS_UNKNOWN_TARGET`.
 */
export function recordQueries<Target extends object>(target: Target): Target {
  const tapExplainable = (client: object): boolean => {
    const isTapped = tap(client);
    const name = isTapped ? connectionName(client) : undefined;
    if (name !== undefined) keepClient(name, client); // it can explain queries
    return isTapped;
  };
  return recordTarget(target, tapExplainable, { function: 'recordQueries', known: supportedClients });
}

/** Taps clients by their kind. Those that return false are not supported. */
const taps: Readonly<Record<ClientKind, (client: object) => unknown>> = {
  knex: (client) => tapKnex(client, tap),
  kysely: tapKysely,
  'postgres.js': tapPostgres,
  drizzle: tapBelow,
  typeorm: tapTypeOrm,
  'mikro-orm': tapBelow, // for instances that `persistence` did not create
  prisma: tapPrisma,
  'pg pool': tapPgPool,
  'pg client': tapPgClient,
  mongodb: tapMongo,
  sqlite: tapSqlite,
  // These publish their queries on diagnostics channels.
  'mysql2 pool': () => true,
  'mysql2 connection': () => true,
  mongoose: () => true,
};

function tap(client: object): boolean {
  const kind = kindOf(client);
  return kind !== undefined && taps[kind](client) !== false;
}

function tapBelow(orm: object): boolean {
  const client = clientBelow(orm);
  if ((typeof client !== 'object' && typeof client !== 'function') || client === null) return false;
  recordQueries(client);
  return true;
}

/** Taps a DataSource of TypeORM, which has a driver's pool or database only once it is initialized. */
function tapTypeOrm(source: object): void {
  tapBelow(source);
  replaceMethod(source, 'initialize', async (former, args, self) => {
    const result: unknown = await Reflect.apply(former, self, args);
    tapBelow(source);
    return result;
  });
}
