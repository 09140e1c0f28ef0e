import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flattenError } from '#core/errors';
import { plain } from '../../../test/profiler/plain-record.js';
import type { RecordedLog } from '../model/profile-record.js';
import { addAmendments, joinAmendments, lateColumns, type LateWork } from './amendments.js';

const line = (level: RecordedLog['level']): RecordedLog => ({
  time: 0,
  offsetMs: 0,
  level,
  channel: 'app',
  message: level,
});
const work: LateWork = { kind: 'query', text: 'select 1', startMs: 5, callSite: [] };
const browser = { timing: { loadMs: 5 }, errors: [], moreErrors: 0, failed: [], moreFailed: 0 };
const first = flattenError(new TypeError('first'), {});
const second = flattenError(new RangeError('second'), {});

describe('amendments to a closed record', () => {
  it('are joined: the first error, up to twenty lines, and up to five queries and calls', () => {
    assert.deepEqual(joinAmendments(undefined, {}), { logs: [], logged: 0 });
    const once = joinAmendments(undefined, { logs: [line('error')], exception: first, work: [work] });
    assert.deepEqual(once, { logs: [line('error')], logged: 1, exception: first, work: [work] });
    const twice = joinAmendments(once, {
      logs: Array.from({ length: 20 }, () => line('warning')),
      exception: second,
      work: [1, 2, 3, 4, 5].map(() => work),
    });
    assert.deepEqual([twice.logs.length, twice.logged, twice.work?.length], [20, 21, 5]);
    assert.deepEqual([twice.exception, twice.logs[0]], [first, line('error')]);
    assert.equal(joinAmendments(once, {}).logged, 1);
    const seen = joinAmendments(once, { browser });
    assert.deepEqual(joinAmendments(seen, { browser: { ...browser, moreErrors: 9 } }).browser, browser);
    assert.deepEqual(addAmendments(plain, seen).sections['browser'], browser);
  });

  it("add to a row's counts, and set its error if it has none", () => {
    const none = { errorClass: null, route: 'home' };
    const node = { ...line('warning'), channel: 'node' };
    const logs = [line('error'), line('alert'), line('warning'), node, line('info')];
    assert.deepEqual(lateColumns({ logs }, none), { logs: 5, warnings: 3, errors: 2, nodeWarnings: 1 });
    const columns = lateColumns({ exception: first }, none);
    assert.deepEqual([columns.errorClass, columns.exception, columns.logs], ['TypeError', 'first', 0]);
    assert.match(columns.errorLocation ?? '', /amendments\.test/);
    assert.deepEqual(lateColumns({ exception: first }, { ...none, errorClass: 'Error' }), {
      logs: 0,
      warnings: 0,
      errors: 0,
      nodeWarnings: 0,
    });
  });

  it('appear in the record: lines with their counts, the error unless there is one, and late work as a section', () => {
    const record = {
      ...plain,
      logs: [line('info')],
      logTotals: { ...plain.logTotals, total: 1, byLevel: { error: 1 } },
    };
    const joined = addAmendments(record, {
      logs: [line('error'), line('alert')],
      logged: 5,
      exception: first,
      work: [work],
    });
    assert.deepEqual(joined.logTotals, { ...plain.logTotals, total: 6, byLevel: { error: 2, alert: 1 } });
    assert.deepEqual(
      [joined.logs.length, joined.exception, joined.sections['late']],
      [3, first, { work: [work] }],
    );
    assert.deepEqual(joined.limits, [{ what: 'late logs', kept: 2, total: 5, limit: 20 }]);
    const bare = addAmendments(record, { logs: [line('error')], logged: 1 });
    assert.deepEqual([bare.limits, bare.exception, bare.sections], [[], null, {}]);
    assert.equal(
      addAmendments({ ...record, exception: second }, { logs: [], logged: 0, exception: first }).exception,
      second,
    );
  });
});
