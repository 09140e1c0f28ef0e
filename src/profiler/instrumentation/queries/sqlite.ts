import { followResult, replaceMethod, undoAll } from '#core/patches';
import { fieldOf, textField } from '../source/fields.js';
import { listenTo } from '../source/listen-to.js';
import { beginQuery, type BegunQuery, recordQuery } from './record-query.js';

/** True while an instrumented database's statement runs, so that a driver that publishes the same query is ignored. */
let isPublishing = false;

/**
 * Instruments better-sqlite3. Statements may be older than the first request, so their prototype is taken from a
 * temporary database.
 */
export function instrumentBetterSqlite(prototype: object): (() => void) | undefined {
  const create = fieldOf(prototype, 'constructor');
  if (typeof create !== 'function') return undefined;
  const database = Reflect.construct(create, [':memory:']) as Record<
    'prepare' | 'close',
    (sql?: string) => object
  >; // a better-sqlite3 database
  const statements: unknown = Object.getPrototypeOf(database.prepare('select 1'));
  database.close();
  if (typeof statements !== 'object' || statements === null) return undefined;
  return undoAll([
    instrumentStatements(statements, (statement) => textField(statement, 'source')),
    instrumentPrepare(prototype, () => undefined),
    instrumentExec(prototype),
  ]);
}

export function instrumentNodeStatements(prototype: object): () => void {
  return instrumentStatements(prototype, (statement) => textField(statement, 'sourceSQL'));
}

/**
 * The statement whose method is running: libsql's `all` calls `iterate` on the same statement, which is not a second
 * query.
 */
let running: unknown;

function instrumentStatements(target: object, textOf: (statement: unknown) => string): () => void {
  return undoAll(
    ['all', 'get', 'run', 'iterate'].map((name) =>
      replaceMethod(target, name, (former, args, self) => {
        const run = (): unknown => Reflect.apply(former, self, args);
        const outer = running;
        if (outer === self) return run();
        running = self;
        try {
          return runQuery(run, () => ({ sql: textOf(self), params: flat(args) }));
        } finally {
          running = outer;
        }
      }),
    ),
  );
}

/** Instruments a better-sqlite3, `node:sqlite` or `@photostructure/sqlite` database. */
export function instrumentSqlite(database: object): void {
  if (instrumentPrepare(database, (statement, sql) => instrumentStatements(statement, () => sql)))
    instrumentExec(database);
}

/** Instruments `prepare` on a database or its prototype. Statements with syntax errors fail there. */
function instrumentPrepare(
  database: object,
  prepared: (statement: object, sql: string) => void,
): (() => void) | undefined {
  return replaceMethod(database, 'prepare', (former, args, self) => {
    const sql = String(args[0]);
    try {
      const statement: unknown = Reflect.apply(former, self, args);
      if (typeof statement === 'object' && statement !== null) prepared(statement, sql);
      return statement;
    } catch (error) {
      beginQuery('sqlite', () => ({ sql }))?.failed(error);
      throw error;
    }
  });
}

export function instrumentExec(database: object): (() => void) | undefined {
  return replaceMethod(database, 'exec', (former, args, self) =>
    runQuery(
      () => Reflect.apply(former, self, args),
      () => ({ sql: String(args[0]) }),
    ),
  );
}

function runQuery(run: () => unknown, readStatement: Parameters<typeof beginQuery>[1]): unknown {
  const query = beginQuery('sqlite', readStatement, { countRows });
  if (query === undefined) return run();
  isPublishing = true;
  try {
    return followResult(run, {
      done: (result) => (isIterator(result) ? followRows(result, query) : query.done(result)),
      failed: query.failed,
    });
  } finally {
    isPublishing = false;
  }
}

/** Returns whether a result comes from `iterate`; a row may have a field with that name, but no function in it. */
function isIterator(result: unknown): result is object {
  return typeof fieldOf(result, 'next') === 'function';
}

/** Ends a query with its last row, or when the application leaves the loop over its rows. */
function followRows(rows: object, query: BegunQuery): void {
  let count = 0;
  const follow = (name: string, isOver: (result: unknown) => boolean): void =>
    void replaceMethod(rows, name, (former, args, self) => {
      try {
        const result: unknown = Reflect.apply(former, self, args);
        if (isOver(result)) query.done({ changes: count });
        return result;
      } catch (error) {
        query.failed(error);
        throw error;
      }
    });
  follow('next', (result) => {
    if (fieldOf(result, 'done') === true) return true;
    count++;
    return false;
  });
  follow('return', () => true);
}

/** Flattens parameters, which may be passed individually, as a list, and by name. */
function flat(args: readonly unknown[]): readonly unknown[] {
  return args.flatMap((arg): readonly unknown[] => {
    if (Array.isArray(arg)) return arg;
    const isNamed =
      typeof arg === 'object' && arg !== null && Object.getPrototypeOf(arg) === Object.prototype;
    return isNamed ? Object.values(arg) : [arg];
  });
}

/** A row returned as such may have any field names. */
function countRows(result: unknown): number | undefined {
  if (Array.isArray(result)) return result.length;
  const changes = fieldOf(result, 'changes');
  if (typeof changes === 'number') return changes;
  if (result === undefined || result === null) return 0;
  return 1;
}

/**
 * Listens to drivers that publish their queries with the values inserted (newer `node:sqlite`, `@photostructure/sqlite`
 * 2).
 */
export function listenToSqlite(): () => void {
  return listenTo({
    'sqlite.db.query'(message) {
      if (isPublishing) return;
      const sql = fieldOf(message, 'sql');
      const nanoseconds = fieldOf(message, 'duration');
      const durationMs = typeof nanoseconds === 'number' ? nanoseconds / 1e6 : 0;
      if (typeof sql === 'string') recordQuery({ sql, durationMs, system: 'sqlite' });
    },
  });
}
