import { replaceMethod, shareUndo, undoAll, type Undo, watchConstruction } from '#patches';
import { currentRecording } from '#profiler';
import { currentScope, runInScope } from '#scope';
import { callMethod, fieldOf, textField } from '../source/fields.js';
import { notePlace, scopeFrom } from '../source/moment.js';
import { beginQuery, type EndQuery } from './query-under-way.js';

/** The queries of postgres.js whose prototype is given: those of every `sql` of this copy. */
export const tapPostgresQueries: (prototype: object) => Undo = shareUndo((prototype) =>
  undoAll([
    watchConstruction(prototype, placeQuery),
    replaceMethod<object>(prototype, 'handle', (former, args, query) => {
      watchEnd(query);
      return Reflect.apply(former, query, args);
    }),
  ]),
);

/** The same, by a `sql` of the copy: for one that is bundled. */
export function tapPostgres(sql: object): Undo | undefined {
  const query = callMethod(sql, 'unsafe', 'select 1'); // a query is asked when someone waits for it
  return typeof fieldOf(query, 'handle') === 'function'
    ? tapPostgresQueries(Object.getPrototypeOf(query) as object) // of an object of a class
    : undefined;
}

/** Notes where a query is written: it is asked when someone waits for it, which is on no stack of the application's. */
function placeQuery(query: object): void {
  if (currentRecording() !== undefined) places.set(query, notePlace());
}

const places = new WeakMap<object, ReturnType<typeof notePlace>>(); // by the query

function begin(query: object): EndQuery | undefined {
  const [scope, place] = [currentScope(), places.get(query)];
  const ask = (): EndQuery | undefined => beginQuery('postgresql');
  return scope === undefined || place === undefined ? ask() : runInScope(scopeFrom(scope, place), ask);
}

/** A query is asked once, however often it is waited for. */
function watchEnd(query: object): void {
  // Those of its own, for the types of a new connection, cannot be cancelled.
  const isOwn = fieldOf(query, 'canceller') === undefined;
  if (isOwn || fieldOf(query, 'executed') === true || begun.has(query)) return;
  begun.add(query);
  const end = begin(query);
  if (end === undefined) return;
  const asked = (): { sql: string; params: unknown } => ({
    sql: textField(query, 'string'),
    params: fieldOf(query, 'parameters'),
  });
  replaceEnd(query, 'resolve', (result) => end({ ...asked(), rows: rowsOf(result) }));
  replaceEnd(query, 'reject', (error) => end({ ...asked(), error }));
}

const begun = new WeakSet<object>(); // queries that are under way or were

/** `resolve` and `reject` of a query are its own: who calls them ends it. */
function replaceEnd(query: object, name: string, note: (value: unknown) => void): void {
  replaceMethod(query, name, (former, [value]) => {
    note(value);
    return Reflect.apply(former, query, [value]);
  });
}

function rowsOf(result: unknown): number | undefined {
  const count = fieldOf(result, 'count');
  if (typeof count === 'number') return count;
  return Array.isArray(result) ? result.length : undefined;
}
