import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProfileRecord } from '../../model/profile-record.js';
import { timeFinders } from './findings.js';

const span = (category: string, startMs: number, durationMs: number) =>
  ({
    category,
    name: 'x',
    startMs,
    durationMs,
    ...(category === 'database' ? { section: 'db' } : {}),
  }) as const;

/** What took most of the time of a request of 100 ms. */
function longestIn(timeline: readonly object[]): string | undefined {
  const read = { durationMs: 100, timeline, sections: {}, controller: null };
  const record = read as unknown as ProfileRecord; // all that is read
  return timeFinders.flatMap((find) => find(record) ?? [])[0]?.text;
}

describe('the findings about time', () => {
  it('of the controller, the time of the spans within it is not counted, and once where they overlap', () => {
    const controller = span('controller', 10, 80);
    assert.equal(
      longestIn([controller, span('listener', 20, 15), span('listener', 30, 10), span('stage', 0, 100)]),
      'The code of the controller took 60.0 ms of 100 ms',
    );
  });

  it('time in which the process did not run is not the controller’s, but a query goes on in it', () => {
    const stop = { ...span('unaccounted', 5, 60), busyMs: 20 };
    assert.equal(
      longestIn([span('controller', 0, 100), stop]),
      'The code of the controller took 80.0 ms of 100 ms',
    );
    assert.equal(longestIn([span('database', 0, 100), stop]), '1 query took 100 ms of 100 ms');
  });

  it('of a step that began before the request or ended after it, only the part within it counts', () => {
    assert.equal(longestIn([span('database', -80, 140)]), '1 query took 60.0 ms of 100 ms');
    assert.equal(longestIn([span('database', -80, 120)]), undefined);
    assert.equal(longestIn([span('http', 70, 90)]), undefined);
  });
});
