import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { FailureNotes, guardTimer } from './failure-notes.js';

let clock = 0;

/** Mocks the clock for a suite's tests. */
function withClock(): void {
  beforeEach(() => {
    clock = 0;
    mock.method(performance, 'now', () => clock);
  });
  afterEach(() => mock.restoreAll());
}

describe('internal failures', () => {
  withClock();
  it('are all counted, and reported once a minute', () => {
    const reported: unknown[] = [];
    const failures = new FailureNotes((error) => reported.push(error));
    failures.note(1);
    clock = 59_999;
    failures.note(2);
    clock = 60_000;
    failures.note(3);
    failures.note(4);
    assert.deepEqual([failures.count, reported], [4, [1, 3]]);
  });

  it('are counted without a reporter, and if the reporter fails', () => {
    const silent = new FailureNotes(undefined);
    silent.note(1);
    assert.equal(silent.count, 1);
    const broken = new FailureNotes(() => assert.fail('no'));
    broken.note(1);
    assert.equal(broken.count, 2);
  });

  it('of a timer are passed on without ending the process', () => {
    const failed: unknown[] = [];
    let runs = 0;
    const look = guardTimer(
      () => {
        runs++;
        if (runs === 1) throw new Error('EMFILE');
      },
      (error) => failed.push(error),
    );
    look();
    look();
    assert.deepEqual([runs, failed.map(String)], [2, ['Error: EMFILE']]);
  });
});
