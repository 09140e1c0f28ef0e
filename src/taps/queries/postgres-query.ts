import { replaceMethod } from '#patches';
import { fieldOf, textField } from '../source/fields.js';
import { beginQuery, type EndQuery } from './query-under-way.js';

/** The queries of postgres.js whose prototype is given: those of every `sql` of this copy. */
export function tapPostgresQueries(prototype: object): (() => void) | undefined {
  return replaceMethod(
    prototype,
    'handle',
    (former) =>
      function handle(this: unknown, ...args) {
        watchEnd(this as object); // called on a query
        return Reflect.apply(former, this, args);
      },
  );
}

/** Says from where a query begins that is awaited elsewhere. */
export function beginFrom(query: object, begin: Begin): void {
  prepared.set(query, begin);
  // Where the prototype is watched, that is enough.
  replaceMethod(query, 'handle', (former) => (...args) => {
    watchEnd(query);
    return Reflect.apply(former, query, args);
  });
}

type Begin = () => EndQuery | undefined;
const prepared = new WeakMap<object, Begin>(); // by the query

/** A query is asked once, however often it is waited for. */
function watchEnd(query: object): void {
  // Those of its own, for the types of a new connection, cannot be cancelled.
  const isOwn = fieldOf(query, 'canceller') === undefined;
  if (isOwn || fieldOf(query, 'executed') === true || begun.has(query)) return;
  begun.add(query);
  const begin = prepared.get(query) ?? ((): EndQuery | undefined => beginQuery('postgresql'));
  const end = begin();
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
  replaceMethod(query, name, (former) => (value) => {
    note(value);
    return Reflect.apply(former, query, [value]);
  });
}

function rowsOf(result: unknown): number | undefined {
  const count = fieldOf(result, 'count');
  if (typeof count === 'number') return count;
  return Array.isArray(result) ? result.length : undefined;
}
