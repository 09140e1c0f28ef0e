import { followResult, replaceMethod, undoAll } from '#patches';
import { reportAsOne } from '#scope';
import { callMethod, fieldOf, textField } from '../source/fields.js';
import { runFromHere, takeMoment } from '../source/moment.js';
import { tapEachOnce } from '../source/targets.js';
import { beginQuery, publishQuery } from './record-query.js';

/** Taps a Knex: taps each connection from its pool, also those of transactions, by the driver's kind (pg, better-sqlite3 …). */
export function tapKnex(knex: object, tap: (connection: object) => unknown): boolean {
  const client = fieldOf(knex, 'client');
  if (typeof client !== 'object' || client === null) return false;
  const tapConnection = tapEachOnce(tap);
  replaceMethod(client, 'acquireConnection', async (former, args, self) => {
    const connection: unknown = await Reflect.apply(former, self, args);
    tapConnection(connection);
    return connection;
  });
  return true;
}

/**
 * Taps an instance of Kysely, with any dialect: all its queries, also those of transactions, run on connections from its
 * executor.
 */
export function tapKysely(kysely: object): void {
  const executor = callMethod(kysely, 'getExecutor');
  if (typeof executor !== 'object' || executor === null) return;
  const tapConnection = tapEachOnce((connection) =>
    replaceMethod(connection, 'executeQuery', (former, args, self) => {
      const end = beginQuery('kysely', () => textField(args[0], 'sql'));
      if (end === undefined) return Reflect.apply(former, self, args);
      const statement = { sql: textField(args[0], 'sql'), params: fieldOf(args[0], 'parameters') };
      return followResult(() => reportAsOne(() => Reflect.apply(former, self, args)), {
        done: (value) => end({ ...statement, rows: rowsOf(value) }),
        failed: (error) => end({ ...statement, error }),
      });
    }),
  );
  replaceMethod(executor, 'provideConnection', (former, [consumer, ...rest], self) => {
    if (typeof consumer !== 'function') return Reflect.apply(former, self, [consumer, ...rest]);
    const consume = (connection: unknown): unknown => {
      tapConnection(connection);
      return Reflect.apply(consumer, undefined, [connection]);
    };
    return Reflect.apply(former, self, [consume, ...rest]);
  });
}

function rowsOf(result: unknown): number | undefined {
  const rows = fieldOf(result, 'rows');
  const affected = fieldOf(result, 'numAffectedRows');
  if (typeof affected === 'bigint' && (!Array.isArray(rows) || rows.length === 0)) return Number(affected);
  return Array.isArray(rows) ? rows.length : undefined;
}

/** Taps a client of Prisma by its query events. The client needs the option `log: [{ emit: 'event', level: 'query' }]`. */
export function tapPrisma(client: object): boolean {
  const on = fieldOf(client, '$on');
  if (typeof on !== 'function') return false;
  const onQuery = (event: unknown): void => {
    const sql = fieldOf(event, 'query');
    const moment = typeof sql === 'string' ? takeMoment(() => sql) : undefined;
    if (moment === undefined || typeof sql !== 'string') return;
    const durationMs = fieldOf(event, 'duration');
    const params = readParams(fieldOf(event, 'params'));
    publishQuery(
      { sql, params },
      { system: 'prisma', moment, ...(typeof durationMs === 'number' ? { durationMs } : {}) },
    );
  };
  Reflect.apply(on, client, ['query', onQuery]);
  return true;
}

/** Parses the parameters, which Prisma reports as a JSON list. */
function readParams(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return [text];
  }
}

const queryMethods =
  /^(?:get(?:Raw|One|Many|Count|Exists)|find|count|exists|sum|average|minimum|maximum|save|insert|upsert|update|delete|remove|soft|recover|restore|increment|decrement|clear|preload|query|transaction|execute)/;

/**
 * Taps a prototype of TypeORM's manager, data source or query builders. Their methods call the driver later, on a stack
 * without the application, so queries get the source position of the method call. Repositories call the manager.
 */
export function tapTypeormCalls(prototype: object): () => void {
  const names = Object.getOwnPropertyNames(prototype).filter((name) => queryMethods.test(name));
  return undoAll(
    names.map((name) =>
      replaceMethod(prototype, name, (former, args, self) =>
        runFromHere(() => Reflect.apply(former, self, args)),
      ),
    ),
  );
}
