import { replaceMethod } from '#core/patches';
import { recordTarget } from '../source/targets.js';
import { type ClientKind, clientBelow, connectionName, keepClient, kindOf } from './query-clients.js';
import { instrumentKnex, instrumentKysely, instrumentPrisma } from './orms.js';
import { instrumentMongo } from './mongo.js';
import { instrumentPgClient, instrumentPgPool } from './pg.js';
import { instrumentPostgres } from './postgres.js';
import { instrumentSqlite } from './sqlite.js';

const supportedClients =
  'a pg Pool or Client, the sql function of postgres.js, Knex, Kysely, Drizzle, a TypeORM DataSource, MikroORM, a client of ' +
  'Prisma or mongodb, and databases of better-sqlite3, node:sqlite and @photostructure/sqlite';

/**
 * Adds a database client's queries to the current request's record: `const pool = recordQueries(new Pool())`.
 * Recognised by shape are pg pools and clients, postgres.js, Knex, Kysely, Drizzle, TypeORM, MikroORM, Prisma (through
 * its events), mongodb, better-sqlite3, `node:sqlite` and `@photostructure/sqlite`; mysql2 and Mongoose report
 * themselves. Returns the client. A postgres.js client stands for its whole copy of that package. Anything else throws
 * `INSTRUMENTATION_UNKNOWN_TARGET`.
 */
export function recordQueries<Target extends object>(target: Target): Target {
  const instrumentExplainable = (client: object): boolean => {
    const isInstrumented = instrumentation(client);
    const name = isInstrumented ? connectionName(client) : undefined;
    if (name !== undefined) keepClient(name, client); // it can explain queries
    return isInstrumented;
  };
  return recordTarget(target, instrumentExplainable, { function: 'recordQueries', known: supportedClients });
}

/** Instruments clients by kind. Returning false means unsupported. */
const instrumentations: Readonly<Record<ClientKind, (client: object) => unknown>> = {
  knex: (client) => instrumentKnex(client, instrumentation),
  kysely: instrumentKysely,
  'postgres.js': instrumentPostgres,
  drizzle: instrumentBelow,
  typeorm: instrumentTypeOrm,
  'mikro-orm': instrumentBelow, // for instances not created by `persistence`
  prisma: instrumentPrisma,
  'pg pool': instrumentPgPool,
  'pg client': instrumentPgClient,
  mongodb: instrumentMongo,
  sqlite: instrumentSqlite,
  // These publish their queries on diagnostics channels.
  'mysql2 pool': () => true,
  'mysql2 connection': () => true,
  mongoose: () => true,
};

function instrumentation(client: object): boolean {
  const kind = kindOf(client);
  return kind !== undefined && instrumentations[kind](client) !== false;
}

function instrumentBelow(orm: object): boolean {
  const client = clientBelow(orm);
  if ((typeof client !== 'object' && typeof client !== 'function') || client === null) return false;
  recordQueries(client);
  return true;
}

/** Instruments a TypeORM DataSource, which has a pool or database only once it is initialized. */
function instrumentTypeOrm(source: object): void {
  instrumentBelow(source);
  replaceMethod(source, 'initialize', async (former, args, self) => {
    const result: unknown = await Reflect.apply(former, self, args);
    instrumentBelow(source);
    return result;
  });
}
