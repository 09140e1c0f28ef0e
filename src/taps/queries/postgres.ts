import { fieldOf } from '../source/fields.js';
import { undoAll, type Method, replaceMethod } from '#patches';
import { tapPostgresQuery } from './postgres-query.js';

/** Functions that have been given to the application in place of postgres.js's own, by those. */
const tapped = new WeakMap<object, object>();

/**
 * The `sql` of postgres.js: a function, so it is answered for by one in front of it. Its methods are tapped in place as well,
 * for libraries that hold it already.
 */
export function tapPostgres<Target extends object>(
  sql: Target,
): { readonly target: Target; readonly undo: () => void } {
  const known = tapped.get(sql);
  if (known !== undefined) return { target: known as Target, undo: () => undefined }; // made of this one below
  let isTapped = true;
  const undo = undoAll([
    ...['unsafe', 'file'].map((name) =>
      replaceMethod(sql, name, (former, args) => watched(Reflect.apply(former, sql, args))),
    ),
    ...['begin', 'savepoint'].map((name) => replaceMethod(sql, name, inTransaction)),
    replaceMethod(sql, 'reserve', async (former, args) => {
      const own: unknown = await Reflect.apply(former, sql, args);
      return typeof own === 'function' ? tapPostgres(own).target : own;
    }),
    () => tapped.delete(sql),
    () => {
      isTapped = false;
    },
  ]);
  const apply = (former: Target, self: unknown, args: unknown[]): unknown => {
    const result: unknown = Reflect.apply(former as never, self, args); // it is a function
    return isTapped ? watched(result) : result;
  };
  const target = new Proxy(sql, { apply });
  tapped.set(sql, target);
  tapped.set(target, target);
  return { target, undo };
}

/** The function that works in a transaction gets a `sql` of its own: the last of the arguments, called with it. */
function inTransaction(former: Method, args: unknown[], sql: unknown): unknown {
  const work = args.at(-1);
  if (typeof work !== 'function') return Reflect.apply(former, sql, args);
  const withTapped = (own: unknown): unknown =>
    Reflect.apply(work, undefined, [typeof own === 'function' ? tapPostgres(own).target : own]);
  return Reflect.apply(former, sql, [...args.slice(0, -1), withTapped]);
}

/** A fragment of another query has no handler of its own, and is never asked. */
function watched(query: unknown): unknown {
  if (typeof query === 'object' && query !== null && typeof fieldOf(query, 'handler') === 'function')
    tapPostgresQuery(query);
  return query;
}
