import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { redactedMark } from '#core/dump';
import { type ErrorReport, flattenError } from '#core/errors';
import { plain, query } from '../../../../test/profiler/plain-record.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { findFailedQuery } from './failed-query.js';
import type { DbQuery } from './queries.js';

function recordOf(exception: ErrorReport | null, ...queries: readonly Partial<DbQuery>[]): ProfileRecord {
  const db = { totals: {}, groups: [], changes: [], queries: queries.map((one) => query(one)) };
  return { ...plain, exception, sections: { db } };
}

/** Returns the text marked in a statement whose database threw an error with these fields. */
function markedIn(sql: string, message: string, fields: object = {}): string | undefined {
  const error = Object.assign(new Error(message), fields);
  const found = findFailedQuery(recordOf(flattenError(error), { sql, error: message }));
  assert.ok(found !== undefined);
  return found.mark && sql.slice(...found.mark);
}

describe("the query that failed with a record's error", () => {
  const refused = flattenError(
    new Error('The product was not found', { cause: new Error('relation "product" does not exist') }),
  );
  const failing = { sql: 'select 2', error: 'relation "product" does not exist' };

  it('is the last one with the message that the error or one of its causes has', () => {
    const found = findFailedQuery(recordOf(refused, failing, { sql: 'select 1', error: null }, failing));
    assert.deepEqual([found?.index, found?.total], [2, 3]);
    const gathered = flattenError(new AggregateError([new Error('x1 is gone'), new Error(failing.error)]));
    assert.equal(findFailedQuery(recordOf(gathered, failing))?.query.sql, 'select 2');
  });

  it('is undefined if the queries failed with other errors, or nothing was thrown', () => {
    assert.equal(findFailedQuery(recordOf(refused, { ...failing, error: 'deadlock detected' })), undefined);
    assert.equal(findFailedQuery(recordOf(null, failing)), undefined);
    assert.equal(findFailedQuery({ ...plain, exception: refused }), undefined);
  });

  it('is marked at the position that PostgreSQL reports', () => {
    const sql = 'SELECT id, nam FROM product';
    assert.equal(markedIn(sql, 'column "nam" does not exist', { position: '12' }), 'nam');
    assert.equal(markedIn("SELECT '🍵', nam", 'column "nam" does not exist', { position: '13' }), 'nam');
    assert.equal(markedIn('SELEC 1', 'syntax error at or near "SELEC"', { position: '1' }), 'SELEC');
  });

  it('is marked at the parameter whose value was rejected', () => {
    const where = "unnamed portal parameter $2 = '...'";
    assert.equal(markedIn('SELECT $1, $2', 'invalid input syntax: "abc"', { where }), '$2');
    assert.equal(markedIn('SELECT $2, $2', 'invalid input syntax: "abc"', { where }), undefined);
  });

  it('is marked at a text named by the database, if it occurs once', () => {
    assert.equal(markedIn('select * form product', 'near "form": syntax error'), 'form');
    assert.equal(markedIn('select nam from product where name = 1', 'no such column: nam'), 'nam');
    assert.equal(
      markedIn('selec id from a', "You have an error in your SQL syntax near 'selec id from a' at line 1"),
      'selec id from a',
    );
    assert.equal(markedIn('select x, x', 'no such column: x'), undefined);
  });

  it('has no mark if the position belongs to the statement in another form', () => {
    const message = 'column "nam" does not exist';
    assert.equal(markedIn('SELECT ?, nam', message, { position: '12' }), undefined); // sent as `$1`
    assert.equal(markedIn(`SELECT ${redactedMark}, nam`, message, { position: '20' }), undefined);
    assert.equal(markedIn('SELECT id', message, { position: '300' }), undefined);
    assert.equal(markedIn('SELECT identifier', message, { position: '9' }), undefined); // within a name
    assert.equal(markedIn('SELECT a', 'syntax error at or near "b"', { position: '8' }), undefined);
  });
});
