import { replaceMethod, shareUndo, undoAll, type Undo, watchConstruction } from '#core/patches';
import { currentRecording } from '#profiler';
import { currentScope, runInScope } from '#core/scope';
import { callMethod, fieldOf, textField } from '../source/fields.js';
import { noteLocation, scopeFrom } from '../source/moment.js';
import { beginQuery, type BegunQuery } from './record-query.js';

/** Instruments the queries of postgres.js by their prototype, for every `sql` of this copy of the package. */
export const instrumentPostgresQueries: (prototype: object) => Undo = shareUndo((prototype) =>
  undoAll([
    watchConstruction(prototype, placeQuery),
    replaceMethod<object>(prototype, 'handle', (former, args, query) => {
      watchEnd(query);
      return Reflect.apply(former, query, args);
    }),
  ]),
);

/** Instruments the queries of postgres.js by one `sql`, for a bundled copy of the package. */
export function instrumentPostgres(sql: object): boolean {
  const query = callMethod(sql, 'unsafe', 'select 1'); // never sent, because it is not awaited
  if (typeof fieldOf(query, 'handle') !== 'function') return false;
  instrumentPostgresQueries(Object.getPrototypeOf(query) as object); // an instance of a class
  return true;
}

/** Records the source position at which a query is created: it is sent when it is awaited, on a stack without the application. */
function placeQuery(query: object): void {
  if (currentRecording() !== undefined) locations.set(query, noteLocation());
}

const locations = new WeakMap<object, ReturnType<typeof noteLocation>>(); // query → source position

function begin(query: object): BegunQuery | undefined {
  const [scope, location] = [currentScope(), locations.get(query)];
  const readStatement = (): { sql: string; params: unknown } => ({
    sql: textField(query, 'string'),
    params: fieldOf(query, 'parameters'),
  });
  const start = (): BegunQuery | undefined =>
    beginQuery('postgresql', readStatement, { isWrittenLater: true });
  return scope === undefined || location === undefined
    ? start()
    : runInScope(scopeFrom(scope, location), start);
}

/** Records a query when it is first awaited; it is sent only once. */
function watchEnd(query: object): void {
  // Internal queries, for the types of a new connection, have no canceller.
  const isInternal = fieldOf(query, 'canceller') === undefined;
  if (isInternal || fieldOf(query, 'executed') === true || begun.has(query)) return;
  begun.add(query);
  const started = begin(query);
  if (started === undefined) return;
  // It has its own functions, which are called at the end.
  for (const [name, end] of [
    ['resolve', started.done],
    ['reject', started.failed],
  ] as const)
    replaceMethod(query, name, (former, [value]) => {
      end(value);
      return Reflect.apply(former, query, [value]);
    });
}

const begun = new WeakSet<object>(); // queries that are in flight or finished
