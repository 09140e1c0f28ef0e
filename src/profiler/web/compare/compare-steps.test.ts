import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plain, query } from '../../../../test/profiler/plain-record.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { compareSteps, describeSteps, stepText } from './compare-steps.js';

/** A record with these steps in order: `SQL`, or `METHOD URL → outcome`. */
function recordOf(...steps: readonly string[]): ProfileRecord {
  const queries = steps.flatMap((step) => (step.includes('→') ? [] : [query({ sql: step })]));
  let at = 0;
  return {
    ...plain,
    sections: { db: { queries, totals: { queries: queries.length }, groups: [] } },
    timeline: steps.map((step, index) => {
      const [name = '', detail] = step.split(' → ');
      const place = { startMs: index, durationMs: 1 };
      return detail === undefined
        ? { name, category: 'database', section: 'db', anchor: `query-${++at}`, ...place }
        : { name, category: 'http', section: 'http', detail, ...place };
    }),
  };
}
const rowsOf = (before: ProfileRecord, after: ProfileRecord): readonly string[] =>
  compareSteps(before, after).rows.map(
    ({ before: was, after: is, isSame }) => `${isSame ? '=' : '≠'} ${stepText(was)} | ${stepText(is)}`,
  );

describe("two requests' steps", () => {
  it('diverge at the first one that differs, or ended differently', () => {
    const insert = 'INSERT INTO item VALUES (?)';
    const good = recordOf('BEGIN', insert, insert, 'POST http://bank:1/charge?a=1 → 200', 'COMMIT');
    const bad = recordOf('BEGIN', insert, insert, insert, 'POST http://bank:1/charge?a=2 → 402', 'ROLLBACK');
    assert.deepEqual(rowsOf(good, bad), [
      '= BEGIN | BEGIN',
      `= ${insert} ×2 | ${insert} ×3`,
      '≠ POST bank:1/charge?a=1 → 200 | POST bank:1/charge?a=2 → 402',
      '≠ COMMIT | ROLLBACK',
    ]);
    const found = compareSteps(good, bad);
    assert.equal(found.first, 2);
    assert.equal(describeSteps(found), 'the same 2 steps, then they differ');
  });

  it('are the same with other values and ids, and if concurrent ones swap places', () => {
    const one = recordOf('SELECT a WHERE id = 1', 'SELECT b', 'GET http://api/users/17 → 200');
    const other = recordOf('SELECT b', 'SELECT a WHERE id = 2', 'GET http://api/users/18 → 200');
    const found = compareSteps(one, other);
    assert.equal(found.first, undefined);
    assert.match(describeSteps(found), /^the same \d steps in both$/);
  });

  it('are unpaired if only one record has them, and later ones are paired again', () => {
    assert.deepEqual(rowsOf(recordOf('SELECT a', 'SELECT c'), recordOf('SELECT a', 'SELECT b', 'SELECT c')), [
      '= SELECT a | SELECT a',
      '≠  | SELECT b',
      '= SELECT c | SELECT c',
    ]);
  });

  it('that a record did not keep are said to be missing', () => {
    const one = recordOf('SELECT a');
    const cut = { ...one, sections: { db: { queries: [query({})], totals: { queries: 300 } } } };
    assert.equal(describeSteps(compareSteps(one, cut)).endsWith(', as far as they were recorded'), true);
  });
});
