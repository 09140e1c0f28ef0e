import { safely } from '#core/coded-error';
import { followResult, replaceMethod, undoAll } from '#core/patches';
import { reportAsOne } from '#core/scope';
import { callMethod, fieldOf, textField } from '../source/fields.js';
import { runFromHere } from '../source/moment.js';
import { instrumentEachOnce } from '../source/targets.js';
import { beginQuery, recordQuery } from './record-query.js';

/**
 * Instruments a Knex instance: each connection from its pool, including those used by transactions, by the kind of
 * driver (pg, better-sqlite3 …).
 */
export function instrumentKnex(knex: object, instrumentation: (connection: object) => unknown): boolean {
  const client = fieldOf(knex, 'client');
  if (typeof client !== 'object' || client === null) return false;
  const instrumentConnection = instrumentEachOnce(instrumentation);
  replaceMethod(client, 'acquireConnection', async (former, args, self) => {
    const connection: unknown = await Reflect.apply(former, self, args);
    instrumentConnection(connection);
    return connection;
  });
  return true;
}

/**
 * Instruments a Kysely instance: all queries, including those in transactions, run on connections from its executor.
 */
export function instrumentKysely(kysely: object): void {
  const executor = callMethod(kysely, 'getExecutor');
  if (typeof executor !== 'object' || executor === null) return;
  const instrumentConnection = instrumentEachOnce((connection) =>
    replaceMethod(connection, 'executeQuery', (former, args, self) => {
      const run = (): unknown => Reflect.apply(former, self, args);
      const query = beginQuery('kysely', () => ({
        sql: textField(args[0], 'sql'),
        params: fieldOf(args[0], 'parameters'),
      }));
      return query === undefined ? run() : followResult(() => reportAsOne(run), query);
    }),
  );
  replaceMethod(executor, 'provideConnection', (former, [consumer, ...rest], self) => {
    if (typeof consumer !== 'function') return Reflect.apply(former, self, [consumer, ...rest]);
    const consume = (connection: unknown): unknown => {
      instrumentConnection(connection);
      return Reflect.apply(consumer, undefined, [connection]);
    };
    return Reflect.apply(former, self, [consume, ...rest]);
  });
}

/**
 * Instruments a Prisma client through its query events. The client needs the option `log: [{ emit: 'event', level:
 * 'query' }]`.
 */
export function instrumentPrisma(client: object): boolean {
  const on = fieldOf(client, '$on');
  if (typeof on !== 'function') return false;
  const onQuery = (event: unknown): void => {
    const { query: sql, params: text, duration: durationMs } = event as PrismaEvent; // as documented
    const params = safely(() => JSON.parse(text) as readonly unknown[], [text]); // as written by Prisma
    recordQuery({ sql, params, durationMs, system: 'prisma' });
  };
  Reflect.apply(on, client, ['query', onQuery]);
  return true;
}

/** Prisma's event. The package has no type for it, because the client is generated. */
interface PrismaEvent {
  readonly query: string;
  readonly params: string;
  readonly duration: number;
}

const queryMethods =
  /^(?:get(?:Raw|One|Many|Count|Exists)|find|count|exists|sum|average|minimum|maximum|save|insert|upsert|update|delete|remove|soft|recover|restore|increment|decrement|clear|preload|query|transaction|execute)/;

/** Instruments TypeORM's managers, data sources or query builders, which call the driver later, on their own stack. */
export function instrumentTypeormCalls(prototype: object): () => void {
  const names = Object.getOwnPropertyNames(prototype).filter((name) => queryMethods.test(name));
  return undoAll(
    names.map((name) =>
      replaceMethod(prototype, name, (former, args, self) =>
        runFromHere(() => Reflect.apply(former, self, args)),
      ),
    ),
  );
}

/**
 * Instruments MikroORM's unit of work or entity manager: they send most of a flush's statements before V8 knows who awaits them, so their
 * stacks do not reach the application.
 */
export function instrumentMikroOrmCalls(prototype: object): (() => void) | undefined {
  return undoAll(
    ['commit', 'transactional'].map((name) =>
      replaceMethod(prototype, name, (former, args, self) =>
        runFromHere(() => Reflect.apply(former, self, args)),
      ),
    ),
  );
}
