import { isReportedAbove } from '#scope';
import { undoAll, type Method, replaceMethod } from '#patches';
import { fieldOf } from '../source/fields.js';
import { listenTo } from '../source/listen-to.js';
import { takeMoment } from '../source/moment.js';
import { beginQuery, publishQuery } from './query-under-way.js';

/** Drivers that publish each query do it while a statement of a tapped database runs, on the same stack. */
let isPublishing = false;

/** A database of better-sqlite3, `node:sqlite` or `@photostructure/sqlite`, or the prototype of all. */
export function tapSqlite(database: object): (() => void) | undefined {
  const undo = replaceMethod(
    database,
    'prepare',
    (former) =>
      function prepare(this: unknown, ...args) {
        const sql = String(args[0]);
        try {
          const statement: unknown = Reflect.apply(former, this, args);
          if (typeof statement === 'object' && statement !== null) tapStatement(statement, sql);
          return statement;
        } catch (error) {
          beginQuery('sqlite')?.({ sql, error });
          throw error;
        }
      },
  );
  if (undo === undefined) return undefined;
  const exec = replaceMethod(database, 'exec', (former) =>
    runMethod(former, (args) => ({ sql: String(args[0]), params: [] })),
  );
  return undoAll([undo, exec]);
}

function tapStatement(statement: object, sql: string): void {
  for (const name of ['all', 'get', 'run', 'iterate'])
    replaceMethod(statement, name, (former) => runMethod(former, (args) => ({ sql, params: flat(args) })));
}

function runMethod(
  former: Method,
  asked: (args: readonly unknown[]) => { sql: string; params: readonly unknown[] },
): Method {
  return function run(this: unknown, ...args) {
    const end = beginQuery('sqlite');
    if (end === undefined) return Reflect.apply(former, this, args);
    isPublishing = true;
    try {
      const result: unknown = Reflect.apply(former, this, args);
      end({ ...asked(args), rows: rowsOf(result) });
      return result;
    } catch (error) {
      end({ ...asked(args), error });
      throw error;
    } finally {
      isPublishing = false;
    }
  };
}

/** Values may be given one by one, as a list, and by name. */
function flat(args: readonly unknown[]): readonly unknown[] {
  return args.flatMap((arg): readonly unknown[] => {
    if (Array.isArray(arg)) return arg;
    const isNamed =
      typeof arg === 'object' && arg !== null && Object.getPrototypeOf(arg) === Object.prototype;
    return isNamed ? Object.values(arg) : [arg];
  });
}

function rowsOf(result: unknown): number | undefined {
  if (Array.isArray(result)) return result.length;
  const changes = fieldOf(result, 'changes');
  if (typeof changes === 'number') return changes;
  if (result === undefined || result === null) return 0;
  return typeof fieldOf(result, 'next') === 'function' ? undefined : 1;
}

/** What drivers publish themselves (`node:sqlite` of newer Nodes, `@photostructure/sqlite` 2): the statement with its values in it. */
export function listenToSqlite(): () => void {
  return listenTo({
    'sqlite.db.query'(message) {
      if (isPublishing || isReportedAbove()) return;
      const sql = fieldOf(message, 'sql');
      const moment = takeMoment();
      if (moment === undefined || typeof sql !== 'string') return;
      const nanoseconds = fieldOf(message, 'duration');
      const durationMs = typeof nanoseconds === 'number' ? nanoseconds / 1e6 : 0;
      publishQuery({ sql }, { system: 'sqlite', moment, durationMs });
    },
  });
}
