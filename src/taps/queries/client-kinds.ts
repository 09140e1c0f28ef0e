import { callMethod, deepField, fieldOf } from '../source/fields.js';

/** Kinds of clients and the properties that identify them. The first match wins. */
const shapes = [
  ['knex', ['client', 'raw']],
  ['kysely', ['getExecutor', 'selectFrom']],
  ['postgres.js', ['unsafe', 'begin']],
  ['drizzle', ['$client', 'select']],
  ['typeorm', ['createQueryRunner', 'initialize']],
  ['mikro-orm', ['em', 'config']],
  ['prisma', ['$on', '$connect']],
  ['pg pool', ['totalCount', 'connect', 'query']],
  ['pg client', ['connectionParameters', 'query']],
  ['mongodb', ['startSession', 'db']],
  ['sqlite', ['prepare', 'exec']],
  ['mysql2 pool', ['getConnection', 'execute']],
  ['mysql2 connection', ['threadId', 'execute']],
  ['mongoose', ['getClient', 'model']],
  ['mongoose', ['Schema', 'model']],
] as const;

/** A kind of client that `recordQueries` accepts. */
export type ClientKind = (typeof shapes)[number][0];

/** Returns the kind of a client; undefined for other values. */
export function kindOf(client: unknown): ClientKind | undefined {
  if ((typeof client !== 'object' && typeof client !== 'function') || client === null) return undefined;
  return shapes.find(([, names]) => names.every((name) => name in client))?.[0];
}

/** Returns the client that an ORM uses, if the ORM exposes it: a DataSource of TypeORM does once it is initialized. */
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
