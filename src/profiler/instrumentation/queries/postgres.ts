import { replaceMethod, shareUndo, undoAll, type Undo, watchConstruction } from '#core/patches';
import { currentRecording } from '#profiler';
import { currentScope, runInScope } from '#core/scope';
import { callMethod, fieldOf, listField, textField } from '../source/fields.js';
import { noteLocation, scopeFrom } from '../source/moment.js';
import { beginQuery, type BegunQuery } from './record-query.js';

/** Instruments postgres.js queries through their prototype, for every `sql` from this copy of the package. */
export const instrumentPostgresQueries: (prototype: object) => Undo = shareUndo((prototype) =>
  undoAll([
    watchConstruction(prototype, placeQuery),
    replaceMethod<object>(prototype, 'handle', (former, args, query) => {
      watchEnd(query);
      return Reflect.apply(former, query, args);
    }),
  ]),
);

/** Instruments postgres.js queries through one `sql`, for a bundled copy of the package. */
export function instrumentPostgres(sql: object): boolean {
  const query = callMethod(sql, 'unsafe', 'select 1'); // never sent, because it is not awaited
  if (typeof fieldOf(query, 'handle') !== 'function') return false;
  instrumentPostgresQueries(Object.getPrototypeOf(query) as object); // an instance of a class
  return true;
}

/** Captures where a query is created, because it is sent when awaited, on a stack without application frames. */
function placeQuery(query: object): void {
  if (currentRecording() !== undefined) locations.set(query, noteLocation());
}

const locations = new WeakMap<object, ReturnType<typeof noteLocation>>(); // query → source position

function begin(query: object): BegunQuery | undefined {
  const [scope, location] = [currentScope(), locations.get(query)];
  const readStatement = (): { sql: string; params: unknown } => ({
    sql: textField(query, 'string') || templateOf(query),
    params: fieldOf(query, 'parameters'),
  });
  const start = (): BegunQuery | undefined =>
    beginQuery('postgresql', readStatement, { isWrittenLater: true });
  return scope === undefined || location === undefined
    ? start()
    : runInScope(scopeFrom(scope, location), start);
}

/** Returns the statement of a query that waits for a connection; it is only written once there is one. */
function templateOf(query: object): string {
  const [first = '', ...rest] = listField(query, 'strings').map(String);
  return rest.reduce((sql, text, at) => `${sql}$${at + 1}${text}`, first);
}

/** Records a query when it is first awaited; it is sent only once. A cursor is awaited for each of its parts. */
function watchEnd(query: object): void {
  const known = begun.get(query);
  if (known !== undefined) return watchFunctions(query, known);
  // Internal queries, for a new connection's types, have no canceller.
  const isInternal = fieldOf(query, 'canceller') === undefined;
  if (isInternal || fieldOf(query, 'executed') === true) return;
  const started = begin(query);
  if (started === undefined) return;
  const followed = { ...started, rows: 0 };
  begun.set(query, followed);
  watchFunctions(query, followed);
}

interface FollowedQuery extends BegunQuery {
  /** Number of rows that a cursor has returned. */
  rows: number;
}

/** Follows the query's own functions, which are called when it ends. A cursor has new ones for each part. */
function watchFunctions(query: object, followed: FollowedQuery): void {
  const isCursor = typeof fieldOf(query, 'cursorFn') === 'function';
  if (isCursor)
    replaceMethod(query, 'cursorFn', (former, args) => {
      followed.rows += Array.isArray(args[0]) ? args[0].length : 0;
      return Reflect.apply(former, query, args);
    });
  replaceMethod(query, 'resolve', (former, [value]) => {
    followed.done(isCursor ? { count: followed.rows } : value);
    return Reflect.apply(former, query, [value]);
  });
  replaceMethod(query, 'reject', (former, [error]) => {
    followed.failed(error);
    return Reflect.apply(former, query, [error]);
  });
}

const begun = new WeakMap<object, FollowedQuery>(); // queries in flight or finished
