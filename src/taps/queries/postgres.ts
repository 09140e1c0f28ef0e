import { replaceMethod, shareUndo, undoAll, type Undo, watchConstruction } from '#patches';
import { currentRecording } from '#profiler';
import { currentScope, runInScope } from '#scope';
import { callMethod, fieldOf, textField } from '../source/fields.js';
import { notePlace, scopeFrom } from '../source/moment.js';
import { beginQuery, type EndQuery } from './record-query.js';

/** Taps the queries of postgres.js by their prototype, for every `sql` of this copy of the package. */
export const tapPostgresQueries: (prototype: object) => Undo = shareUndo((prototype) =>
  undoAll([
    watchConstruction(prototype, placeQuery),
    replaceMethod<object>(prototype, 'handle', (former, args, query) => {
      watchEnd(query);
      return Reflect.apply(former, query, args);
    }),
  ]),
);

/** Taps the queries of postgres.js by one `sql`, for a bundled copy of the package. */
export function tapPostgres(sql: object): boolean {
  const query = callMethod(sql, 'unsafe', 'select 1'); // never sent, because it is not awaited
  if (typeof fieldOf(query, 'handle') !== 'function') return false;
  tapPostgresQueries(Object.getPrototypeOf(query) as object); // an instance of a class
  return true;
}

/** Records the source position at which a query is created: it is sent when it is awaited, on a stack without the application. */
function placeQuery(query: object): void {
  if (currentRecording() !== undefined) places.set(query, notePlace());
}

const places = new WeakMap<object, ReturnType<typeof notePlace>>(); // query → source position

function begin(query: object): EndQuery | undefined {
  const [scope, place] = [currentScope(), places.get(query)];
  const start = (): EndQuery | undefined => beginQuery('postgresql');
  return scope === undefined || place === undefined ? start() : runInScope(scopeFrom(scope, place), start);
}

/** Records a query when it is first awaited; it is sent only once. */
function watchEnd(query: object): void {
  // Internal queries, for the types of a new connection, have no canceller.
  const isInternal = fieldOf(query, 'canceller') === undefined;
  if (isInternal || fieldOf(query, 'executed') === true || begun.has(query)) return;
  begun.add(query);
  const end = begin(query);
  if (end === undefined) return;
  const readStatement = (): { sql: string; params: unknown } => ({
    sql: textField(query, 'string'),
    params: fieldOf(query, 'parameters'),
  });
  replaceEnd(query, 'resolve', (result) => end({ ...readStatement(), rows: rowsOf(result) }));
  replaceEnd(query, 'reject', (error) => end({ ...readStatement(), error }));
}

const begun = new WeakSet<object>(); // queries that are in flight or finished

/** Observes the end of a query: it has its own `resolve` and `reject`, which are called at the end. */
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
