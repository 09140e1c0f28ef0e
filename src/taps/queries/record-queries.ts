import { undoAll, replaceMethod } from '#patches';
import { deepField, fieldOf } from '../source/fields.js';
import { isTapped, recordTarget, rememberUndo, stopRecording } from '../source/stop-recording.js';
import { tapKnex } from './knex.js';
import { tapKysely } from './kysely.js';
import { tapMongo } from './mongodb.js';
import { tapPgClient, tapPgPool } from './pg.js';
import { tapPostgres } from './postgres.js';
import { forgetClient, keepClient } from './query-clients.js';
import { tapPrisma } from './prisma.js';
import { tapSqlite } from './sqlite.js';

const supportedClients =
  'a Pool or Client of pg, the sql of postgres.js, Knex, Kysely, Drizzle, a DataSource of TypeORM, MikroORM, a client of ' +
  'Prisma or mongodb, and databases of better-sqlite3, node:sqlite and @photostructure/sqlite';

/**
 * Records the queries of a database client in the record of the request that sends them, until `stopRecording`:
 * `const pool = recordQueries(new Pool())`. Known by their shape are pools and clients of pg, postgres.js, Knex,
 * Kysely, Drizzle, TypeORM, MikroORM, Prisma (by its events), mongodb, better-sqlite3, `node:sqlite` and
 * `@photostructure/sqlite`; mysql2 and Mongoose report themselves. Returns the client: use the returned one, because
 * for postgres.js it is another function. Anything else throws `TAPS_UNKNOWN_TARGET`.
 */
export function recordQueries<Target extends object>(target: Target): Target {
  if (isTapped(target)) return target;
  if (typeof target === 'function' && has(target, 'unsafe', 'begin')) {
    const tapped = tapPostgres(target);
    const undo = undoAll([tapped.undo, explainable(target)]);
    rememberUndo(target, undo);
    rememberUndo(tapped.target, undo);
    return tapped.target;
  }
  const tapExplainable = (client: object): (() => void) | undefined => {
    const undo = tap(client);
    return undo === undefined ? undefined : undoAll([undo, explainable(client)]);
  };
  return recordTarget(target, tapExplainable, { function: 'recordQueries', known: supportedClients });
}

/** Keeps a client under the name of its queries; those that stand on another are kept as that one. */
function explainable(client: object): () => void {
  const name = connectionName(client);
  if (name === undefined) return nothingToUndo;
  keepClient(name, client);
  return () => forgetClient(client);
}

function connectionName(client: object): string | undefined {
  if (has(client, 'client', 'raw')) {
    const dialect = deepField(client, 'client', 'dialect');
    return dialect === 'sqlite3' ? 'sqlite' : typeof dialect === 'string' ? dialect : undefined;
  }
  if (has(client, 'getExecutor', 'selectFrom')) return 'kysely';
  if (has(client, 'unsafe', 'begin') || has(client, 'totalCount', 'connect', 'query')) return 'postgresql';
  if (has(client, 'connectionParameters', 'query')) return 'postgresql';
  if (has(client, 'prepare', 'exec')) return 'sqlite';
  const isMysql = has(client, 'getConnection', 'execute') || has(client, 'threadId', 'execute');
  return isMysql ? 'mysql' : undefined;
}

const nothingToUndo = (): void => undefined;

function tap(target: object): (() => void) | undefined {
  if (typeof target === 'function' && has(target, 'client', 'raw')) return tapKnex(target, tap);
  if (has(target, 'getExecutor', 'selectFrom')) return tapKysely(target) ?? nothingToUndo;
  if (has(target, '$client', 'select')) return inside(fieldOf(target, '$client'));
  if (has(target, 'createQueryRunner', 'initialize')) return tapTypeOrm(target);
  if (has(target, 'em', 'config')) return tapMikroOrm(target);
  if (has(target, '$on', '$connect')) return tapPrisma(target);
  if (has(target, 'totalCount', 'connect', 'query')) return tapPgPool(target) ?? nothingToUndo;
  if (has(target, 'connectionParameters', 'query')) return tapPgClient(target) ?? nothingToUndo;
  if (has(target, 'startSession', 'db')) return tapMongo(target);
  if (has(target, 'prepare', 'exec')) return tapSqlite(target) ?? nothingToUndo;
  // mysql2 and Mongoose publish what they do.
  if (has(target, 'getConnection', 'execute') || has(target, 'threadId', 'execute')) return nothingToUndo;
  return has(target, 'getClient', 'model') || has(target, 'Schema', 'model') ? nothingToUndo : undefined;
}

function has(target: object, ...names: readonly string[]): boolean {
  return names.every((name) => name in target);
}

/** What stands below an ORM. */
function inside(client: unknown): (() => void) | undefined {
  if ((typeof client !== 'object' && typeof client !== 'function') || client === null) return undefined;
  recordQueries(client);
  return () => stopRecording(client);
}

/** A DataSource has a driver's pool or database once it is initialized. */
function tapTypeOrm(source: object): () => void {
  const found = (): unknown =>
    deepField(source, 'driver', 'master') ?? deepField(source, 'driver', 'databaseConnection');
  let undoInside: (() => void) | undefined;
  const tapInside = (): void => {
    undoInside = inside(found());
  };
  if (found() !== undefined) tapInside();
  const undo = replaceMethod(
    source,
    'initialize',
    (former) =>
      async function initialize(this: unknown, ...args) {
        const result: unknown = await Reflect.apply(former, this, args);
        tapInside();
        return result;
      },
  );
  return undoAll([undo, () => undoInside?.()]);
}

/** One that `persistence` did not make: its connection is Knex (6) or Kysely (7). */
function tapMikroOrm(orm: object): (() => void) | undefined {
  const em = fieldOf(orm, 'em');
  const getConnection = fieldOf(em, 'getConnection');
  const connection: unknown =
    typeof getConnection === 'function' ? Reflect.apply(getConnection, em, []) : undefined;
  const getClient = fieldOf(connection, 'getKnex') ?? fieldOf(connection, 'getClient');
  return typeof getClient === 'function' ? inside(Reflect.apply(getClient, connection, [])) : undefined;
}
