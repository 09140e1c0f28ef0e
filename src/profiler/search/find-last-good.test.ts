import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flattenError } from '#core/errors';
import { plain } from '../../../test/profiler/plain-record.js';
import { createSampleReader } from '../../../test/profiler/sample-reader.js';
import type { ProfileRecord } from '../model/profile-record.js';
import { findLastGood, hasFailed } from './find-last-good.js';

const route = { name: 'cart', path: '/cart', parameters: [], trace: null, allow: [] };
const answered = (status: number): Pick<ProfileRecord, 'response'> => ({
  response: plain.response && { ...plain.response, status },
});
let tokens = 0;
const recordAt = (startedAt: number, changes: Partial<ProfileRecord> = {}): ProfileRecord => ({
  ...plain,
  token: `abc${String(++tokens).padStart(3, '0')}`,
  startedAt,
  route,
  ...changes,
});
const exception = flattenError(new Error('It broke'), {});

describe('the last successful request', () => {
  const failed = recordAt(50, { ...answered(500), exception });
  const found = async (...others: readonly ProfileRecord[]): Promise<number | undefined> => {
    const newestFirst = [failed, ...others].toSorted((a, b) => b.startedAt - a.startedAt);
    return (await findLastGood(createSampleReader(newestFirst), failed))?.startedAt;
  };

  it('is the newest of its route and method that succeeded before the failed one', async () => {
    assert.equal(await found(recordAt(10), recordAt(30), recordAt(90)), 30);
  });

  it('has the same method and route, and did not fail, end early or throw', async () => {
    const other = { ...route, name: 'home' };
    const post = { ...plain.request, method: 'POST' };
    const bad = [
      recordAt(41, { route: other }),
      recordAt(42, { request: post }),
      recordAt(43, answered(404)),
      recordAt(44, { state: 'aborted' }),
      recordAt(45, { exception }),
      recordAt(46, { response: null, state: 'unfinished' }),
    ];
    assert.equal(await found(...bad), undefined);
    assert.equal(await found(...bad, recordAt(20, answered(304))), 20);
  });

  it('has the same path if no route is known', async () => {
    const lost = recordAt(50, { route: null, ...answered(500) });
    const elsewhere = { ...plain.request, path: '/other' };
    const records = [lost, recordAt(40, { route: null, request: elsewhere }), recordAt(30, { route: null })];
    assert.equal((await findLastGood(createSampleReader(records), lost))?.startedAt, 30);
  });
});

describe('a request', () => {
  it('has failed if it was refused, cut short, unanswered, or threw an unhandled error', () => {
    const by = { by: 'fallback', status: 200 };
    assert.deepEqual(
      [
        plain,
        { ...plain, ...answered(302) },
        { ...plain, exception: { ...exception, answered: by } },
        { ...plain, ...answered(404) },
        { ...plain, exception },
        { ...plain, state: 'aborted' as const },
        { ...plain, response: null },
      ].map(hasFailed),
      [false, false, false, true, true, true, true],
    );
  });
});
