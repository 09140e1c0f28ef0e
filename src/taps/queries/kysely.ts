import { reportAsOne } from '#scope';
import { undoAll, followPromise, replaceMethod } from '#patches';
import { callMethod, fieldOf } from '../source/fields.js';
import { TappedObjects } from '../source/tapped-objects.js';
import { beginQuery } from './query-under-way.js';

/**
 * Taps an instance of Kysely, with any dialect: all its queries, also those of transactions, run on connections from its
 * executor.
 */
export function tapKysely(kysely: object): (() => void) | undefined {
  const executor = callMethod(kysely, 'getExecutor');
  if (typeof executor !== 'object' || executor === null) return undefined;
  const connections = new TappedObjects();
  const tapConnection = (connection: object): (() => void) | undefined =>
    replaceMethod(connection, 'executeQuery', (former, args, self) => {
      const end = beginQuery('kysely');
      if (end === undefined) return Reflect.apply(former, self, args);
      const sql = fieldOf(args[0], 'sql');
      const statement = { sql: typeof sql === 'string' ? sql : '', params: fieldOf(args[0], 'parameters') };
      const result = reportAsOne(() => Reflect.apply(former, self, args));
      const promised = followPromise(result, {
        done: (value) => end({ ...statement, rows: rowsOf(value) }),
        failed: (error) => end({ ...statement, error }),
      });
      return promised ?? result;
    });
  const undoProvide = replaceMethod(executor, 'provideConnection', (former, [consumer, ...rest], self) => {
    if (typeof consumer !== 'function') return Reflect.apply(former, self, [consumer, ...rest]);
    const consume = (connection: unknown): unknown => {
      connections.add(connection, tapConnection);
      return Reflect.apply(consumer, undefined, [connection]);
    };
    return Reflect.apply(former, self, [consume, ...rest]);
  });
  if (undoProvide === undefined) return undefined;
  return undoAll([undoProvide, () => connections.undoAll()]);
}

function rowsOf(result: unknown): number | undefined {
  const rows = fieldOf(result, 'rows');
  const affected = fieldOf(result, 'numAffectedRows');
  if (typeof affected === 'bigint' && (!Array.isArray(rows) || rows.length === 0)) return Number(affected);
  return Array.isArray(rows) ? rows.length : undefined;
}
