import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plain, query } from '../../../../test/profiler/plain-record.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { flattenError } from '#core/errors';
import { databaseFinders } from './findings.js';
import { stepsOf } from '../completed.js';
import { callLocation, type RecordFinding } from '../finding.js';

function findIn(section: object, changes: Partial<ProfileRecord> = {}): readonly RecordFinding[] {
  const db = { queries: [], groups: [], totals: { failed: 0 }, ...section };
  return databaseFinders.flatMap((find) => find({ ...plain, ...changes, sections: { db } }, stepsOf) ?? []);
}

describe('failed queries', () => {
  it('are an error linked to the first of them, if it was kept', () => {
    const failed = {
      kind: 'failed-query',
      level: 'error',
      text: '2 queries failed; the first: no table',
      target: { panel: 'db', anchor: 'query-2' },
    };
    const totals = { failed: 2 };
    assert.deepEqual(findIn({ totals, queries: [query(), query({ error: 'no table' })] }), [failed]);
    assert.deepEqual(findIn({ totals, queries: [query()] }), [
      { ...failed, text: '2 queries failed', target: { panel: 'db' } },
    ]);
    assert.deepEqual(findIn({ queries: [query({ error: 'no table' })] }), []);
  });
});

describe('a transaction', () => {
  const found = (
    sqls: readonly string[],
    changes: Partial<ProfileRecord> = {},
    more = 0,
  ): readonly string[] =>
    findIn(
      { totals: { failed: 0, queries: sqls.length + more }, queries: sqls.map((sql) => query({ sql })) },
      changes,
    ).flatMap(({ kind, target }) => (kind === 'open-transaction' ? [target?.anchor ?? ''] : []));

  it('that was begun and not ended is reported with its beginning', () => {
    assert.deepEqual(found(['BEGIN', 'update a set b = 1']), ['query-1']);
    assert.deepEqual(found(['begin ', 'select 1', 'commit', 'START TRANSACTION', 'select 2']), ['query-4']);
    assert.deepEqual(found(['BEGIN IMMEDIATE', 'savepoint a', 'ROLLBACK TO SAVEPOINT a']), ['query-1']);
  });

  it('that was ended in any way is not, nor if statements are missing or the request has not ended', () => {
    for (const end of [
      'commit',
      'COMMIT;',
      'ROLLBACK',
      'rollback work',
      'END',
      'abort',
      "PREPARE TRANSACTION 'a'",
    ])
      assert.deepEqual(found(['BEGIN;', 'select 1', end]), [], end);
    assert.deepEqual(found(['begin; update a set b = 1; commit']), []);
    assert.deepEqual(found(['select 1']), []);
    assert.deepEqual(found(['BEGIN'], {}, 1), []);
    assert.deepEqual(found(['BEGIN'], { state: 'aborted' }), []);
  });
});

describe('unflushed changes', () => {
  const change = { action: 'update', entity: 'Author', id: '3', fields: ['name', 'age'] };
  const unflushed = [
    change,
    { ...change, action: 'create', id: '' },
    { ...change, action: 'remove' },
    { ...change, action: 'unawaited', entity: 'shop.ts:3' },
  ];

  it('are named with their action and fields', () => {
    assert.deepEqual(
      findIn({ unflushed }).map(({ text }) => text),
      [
        'Author 3 was changed (name, age) and never flushed',
        'Author was added and never flushed',
        'Author 3 was removed and never flushed',
        'The write to the database at shop.ts:3 was not awaited',
      ],
    );
  });

  it('are explained by an exception, except for writes that were not awaited', () => {
    const exception = flattenError(new Error('no'), {});
    assert.deepEqual(
      findIn({ unflushed }, { exception }).map(({ text }) => text),
      ['The write to the database at shop.ts:3 was not awaited'],
    );
  });
});

describe('repeated queries', () => {
  const group = { kind: 'n+1', sql: 'select ?', count: 1200, durationMs: 6, callSite: null, queries: [4] };

  it('explain the time they took, three groups individually and the rest together', () => {
    const found = findIn({ groups: [group, { ...group, kind: 'duplicate', queries: [] }, group, group] });
    assert.deepEqual(found[0], {
      kind: 'n+1',
      level: 'warn',
      text: 'The same query ran 1,200 times (6.00 ms)',
      target: { panel: 'db', anchor: 'query-5' },
      explains: 6,
    });
    assert.deepEqual(found[1]?.target, { panel: 'db' });
    assert.deepEqual(found[3], {
      kind: 'n+1',
      level: 'warn',
      text: '1 more group of repeated queries',
      target: { panel: 'db' },
      explains: 0,
    });
    assert.equal(findIn({ groups: [group, group, group] }).length, 3);
  });
});

describe("a call's location", () => {
  const site = [{ file: `${process.cwd()}/src/shop.ts`, line: 9 }];
  const record: ProfileRecord = {
    ...plain,
    sections: {
      mail: { messages: [{ callSite: [] }, { callSite: site }] },
      jobs: { messages: [{ callSite: site }] },
    },
  };

  it('comes from the row with the anchor, in sections that have rows', () => {
    assert.equal(callLocation(record, { section: 'mail', anchor: 'message-2' }, stepsOf), 'src/shop.ts:9');
    for (const step of [
      { section: 'mail', anchor: 'message-1' },
      { section: 'mail', anchor: 'message-3' },
      { section: 'mail', anchor: 'message-0' },
      { section: 'mail', anchor: 'message' },
      { section: 'mail' },
      { section: 'jobs', anchor: 'message-1' },
      { section: 'db', anchor: 'query-1' },
      { anchor: 'message-1' },
    ])
      assert.equal(callLocation(record, step, stepsOf), undefined, JSON.stringify(step));
  });
});
