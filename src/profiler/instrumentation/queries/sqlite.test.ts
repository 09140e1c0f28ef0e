import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { channel } from 'node:diagnostics_channel';
import type * as sqlite from '@photostructure/sqlite';
import { createProfiler, type Profiler, requestRecording } from '#profiler';
import { HttpRequest } from '#core/http';
import { runInScope } from '#core/scope';
import {
  listenToSqlite,
  instrumentBetterSqlite,
  instrumentExec,
  instrumentNodeStatements,
  instrumentSqlite,
} from './sqlite.js';

interface Query {
  readonly sql: string;
  readonly params: readonly unknown[];
  readonly rows?: number;
  readonly error?: unknown;
  readonly durationMs: number;
}

/** Shaped like better-sqlite3: statements know their text, and are created by a method of the database's prototype. */
class Statement {
  readonly source: string;
  constructor(source: string) {
    if (source.includes('broken')) throw new Error('syntax error');
    this.source = source;
  }
  all(...values: unknown[]): unknown[] {
    if (this.source.includes('missing')) throw new Error('no such table');
    return values;
  }
  get(): unknown {
    return undefined;
  }
  run(): object {
    return { changes: 3 };
  }
  *iterate(): Iterable<unknown> {
    yield 1;
  }
}
class Database {
  prepare(sql: string): Statement {
    return new Statement(sql);
  }
  exec(): this {
    return this;
  }
  close(): void {}
}

describe('SQLite databases', () => {
  const queries = channel('lookback:persistence:query');
  let seen: Query[] = [];
  let profiler: Profiler;
  const listen = (message: unknown): void => void seen.push(message as Query);
  const inRequest = <Result>(work: () => Result): Result => {
    const peer = { address: '127.0.0.1', port: 1, encrypted: false };
    const request = new HttpRequest({ method: 'GET', target: '/', rawHeaders: [], httpVersion: '1.1', peer });
    request.scope.set(requestRecording, profiler.begin(request));
    return runInScope(request.scope, work);
  };
  before(() => {
    profiler = createProfiler({ store: 'memory:' });
    queries.subscribe(listen);
  });
  beforeEach(() => (seen = []));
  after(async () => {
    queries.unsubscribe(listen);
    await profiler.close();
  });

  it('report statements with values in any form, rows and failures', () => {
    const database = new Database();
    instrumentSqlite(database);
    inRequest(() => {
      database.prepare('select 1').all(1, 'a');
      database.prepare('select 2').all([1, 'a']);
      database.prepare('select 3').all({ id: 1, name: 'a' });
      database.prepare('update t').run();
      database.prepare('select 4').get();
      assert.deepEqual([...database.prepare('select 5').iterate()], [1]);
      assert.throws(() => database.prepare('select missing').all(), /no such table/);
      assert.throws(() => database.prepare('broken'), /syntax error/);
      assert.equal(database.exec(), database);
    });
    assert.deepEqual(
      seen.map(({ sql, params, rows }) => [sql, params, rows]),
      [
        ['select 1', [1, 'a'], 2],
        ['select 2', [1, 'a'], 1],
        ['select 3', [1, 'a'], 1],
        ['update t', [], 3],
        ['select 4', [], 0],
        ['select 5', [], 1],
        ['select missing', [], undefined],
        ['broken', [], undefined],
        ['undefined', [], 1],
      ],
    );
    assert.ok(seen[6]?.error instanceof Error && seen[7]?.error instanceof Error);
  });

  it('report statements prepared before the instrumentation, through their prototype', () => {
    const database = new Database();
    const early = database.prepare('select early');
    const former = [
      Object.getOwnPropertyDescriptors(Statement.prototype),
      Object.getOwnPropertyDescriptors(Database.prototype),
    ];
    const undo = instrumentBetterSqlite(Database.prototype);
    inRequest(() => {
      assert.throws(() => database.prepare('broken early'), /syntax error/);
      early.all(7);
      // Passed explicitly as well; still reported once.
      instrumentSqlite(database);
      database.prepare('select late').all(8);
      assert.throws(() => database.prepare('broken late'), /syntax error/);
    });
    early.all(9);
    assert.deepEqual(
      seen.map(({ sql, params }) => [sql, params]),
      [
        ['broken early', []],
        ['select early', [7]],
        ['select late', [8]],
        ['broken late', []],
      ],
    );
    undo?.();
    assert.deepEqual(
      [
        Object.getOwnPropertyDescriptors(Statement.prototype),
        Object.getOwnPropertyDescriptors(Database.prototype),
      ],
      former,
    );
  });

  it('that publish their queries report them with their time in milliseconds, until nothing listens', () => {
    const published = channel('sqlite.db.query');
    const stop = listenToSqlite();
    inRequest(() => {
      published.publish({ sql: 'select 1', duration: 2_500_000 });
      published.publish({ sql: 'select 2' });
      published.publish({ duration: 1 });
    });
    stop();
    inRequest(() => published.publish({ sql: 'select 3', duration: 1 }));
    assert.deepEqual(
      seen.map(({ sql, durationMs }) => [sql, durationMs]),
      [
        ['select 1', 2.5],
        ['select 2', 0],
      ],
    );
  });

  const native: unknown = process.getBuiltinModule('node:sqlite');
  it(
    'of Node report statements prepared before the instrumentation',
    { skip: native === undefined && 'this Node has none' },
    () => {
      const { DatabaseSync, StatementSync } = native as typeof sqlite; // both have this shape
      const database = new DatabaseSync(':memory:');
      database.exec('create table notes (id integer primary key, body text)');
      const early = database.prepare('insert into notes (body) values (?)');
      const former = [StatementSync, DatabaseSync].map(({ prototype }) =>
        Object.getOwnPropertyDescriptors(prototype),
      );
      const undos = [
        instrumentNodeStatements(StatementSync.prototype),
        instrumentExec(DatabaseSync.prototype),
      ];
      inRequest(() => {
        assert.equal(early.run('first').changes, 1);
        instrumentSqlite(database); // passed explicitly as well; still reported once
        assert.equal(database.prepare('select body from notes where id < :max').all({ max: 9 }).length, 1);
        assert.throws(() => early.run('one', 'too many'), Error);
        database.exec('delete from notes');
      });
      for (const undo of undos) undo?.();
      assert.deepEqual(
        [StatementSync, DatabaseSync].map(({ prototype }) => Object.getOwnPropertyDescriptors(prototype)),
        former,
      );
      early.run('unseen');
      database.close();
      assert.deepEqual(
        seen.map(({ sql, params, rows, error }) => [sql, params, rows, error instanceof Error]),
        [
          ['insert into notes (body) values (?)', ['first'], 1, false],
          ['select body from notes where id < :max', [9], 1, false],
          ['insert into notes (body) values (?)', ['one', 'too many'], undefined, true],
          ['delete from notes', [], 0, false],
        ],
      );
    },
  );
});
