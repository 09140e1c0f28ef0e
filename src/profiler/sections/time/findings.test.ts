import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { RecordFinding } from '../finding.js';
import { stepsOf } from '../completed.js';
import { timeFinders } from './findings.js';

const span = (category: string, startMs: number, durationMs: number) =>
  ({
    category,
    name: 'x',
    startMs,
    durationMs,
    ...(category === 'database' ? { section: 'db' } : {}),
  }) as const;

function allIn(
  timeline: readonly object[],
  sections: object = {},
  more: object = {},
): readonly RecordFinding[] {
  const read = { durationMs: 100, timeline, sections, controller: null, response: null, ...more };
  const record = read as unknown as ProfileRecord; // only these fields are read
  return timeFinders.flatMap((find) => find(record, stepsOf) ?? []);
}

function findingsIn(...given: Parameters<typeof allIn>): string[] {
  return allIn(...given).map(({ text }) => text);
}

/** Returns what took most of the time in a 100 ms request. */
function longestIn(...given: Parameters<typeof findingsIn>): string | undefined {
  return findingsIn(...given)[0];
}

describe('time findings', () => {
  it("exclude nested spans from the controller's time, and count overlapping ones once", () => {
    const controller = span('controller', 10, 80);
    assert.equal(
      longestIn([controller, span('listener', 20, 15), span('listener', 30, 10), span('stage', 0, 100)]),
      'The controller took 60.0 ms of 100 ms',
    );
  });

  it('name the call that a request was waiting for when its client left', () => {
    const call = {
      method: 'GET',
      url: 'http://bank.test/pay',
      status: 0,
      isOpen: true,
      durationMs: 80,
      callSite: [{ name: null, file: 'src/pay.ts', line: 7, column: 1 }],
    };
    const textsOf = (more: object, state: string): string[] =>
      findingsIn([], { http: { calls: [{ ...call, ...more }] } }, { state });
    assert.deepEqual(textsOf({}, 'aborted'), [
      'Waited 80.0 ms for GET http://bank.test/pay, which had not ended, from src/pay.ts:7',
    ]);
    assert.deepEqual(textsOf({ status: 200 }, 'unfinished'), [
      'Waited 80.0 ms for the body of GET http://bank.test/pay, which had not ended, from src/pay.ts:7',
    ]);
    for (const ended of [{ isOpen: false }, { isCancelled: true }])
      assert.deepEqual(textsOf(ended, 'aborted'), []);
    assert.deepEqual(textsOf({}, 'complete'), []);
  });

  it('do not blame the development error page, which users never get', () => {
    assert.equal(longestIn([{ ...span('listener', 0, 90), name: 'error page' }]), undefined);
    assert.equal(longestIn([span('listener', 0, 90)]), 'The listener “x” took 90.0 ms of 100 ms');
  });

  it('do not call waiting code busy, nor busy code waiting; a query is both', () => {
    const runs = (ms: number) => ({
      loop: { ownMs: 0, waits: [], runs: [{ startMs: 0, durationMs: 100, ms }] },
    });
    const controller = [span('controller', 0, 100)];
    assert.equal(longestIn(controller, runs(80)), 'Your code took 80.0 ms of 100 ms');
    const unwatched = 'for something that lookback does not watch';
    assert.equal(longestIn(controller, runs(1)), `The controller waited 99.0 ms of 100 ms ${unwatched}`);
    assert.equal(
      longestIn([span('listener', 0, 100)], runs(1)),
      `The listener “x” waited 99.0 ms of 100 ms ${unwatched}`,
    );
    assert.equal(
      longestIn([span('stage', 0, 100)], runs(1)),
      `The request waited 99.0 ms of 100 ms ${unwatched}`,
    );
    assert.equal(longestIn([span('database', 0, 100)], runs(1)), '1 query took 100 ms of 100 ms');
    assert.equal(longestIn(controller), 'The controller took 100 ms of 100 ms');
  });

  it('call a waiting stream streamed, and one whose code runs busy', () => {
    const response = { firstByteMs: 3 };
    const loop = { ownMs: 0, waits: [], runs: [{ startMs: 0, durationMs: 100, ms: 4 }] };
    const timeline = [span('stage', 0, 2), span('stream', 2, 98)];
    assert.equal(
      longestIn(timeline, { loop }, { response }),
      'Streamed for 97.0 ms, first byte after 3.00 ms',
    );
    const busy = { ...loop, runs: [{ startMs: 0, durationMs: 100, ms: 90 }] };
    assert.equal(
      longestIn(timeline, { loop: busy }, { response }),
      'The code of the stream took 88.2 ms of 100 ms',
    );
  });

  it('name the machine without hiding the step that took most of the remaining time', () => {
    const stops = [{ startMs: 0, durationMs: 100, ms: 60 }];
    const loop = { ownMs: 0, waits: [], runs: [{ startMs: 0, durationMs: 100, ms: 100 }], stops };
    const found = findingsIn([span('controller', 0, 100)], { loop });
    assert.deepEqual(found, ['The machine was busy for 60.0 ms', 'Your code took 40.0 ms of 100 ms']);
  });

  it('are no warning if a request was slow only because the machine was busy', () => {
    const levelOf = (durationMs: number): string | undefined => {
      const stops = [{ startMs: 0, durationMs: 60, ms: 60 }];
      const runs = [{ startMs: 0, durationMs, ms: durationMs }];
      const timeline = [span('controller', 0, durationMs)];
      return allIn(timeline, { loop: { ownMs: 0, waits: [], runs, stops } }, { durationMs }).at(-1)?.level;
    };
    assert.deepEqual([levelOf(159), levelOf(160)], ['info', 'warn']);
  });

  it('name how often which request blocked the event loop, and who may have delayed reading this one', () => {
    const waits = [
      { token: 'abc123', startMs: 0, durationMs: 300, blocks: 3 },
      { token: null, startMs: 0, durationMs: 40 },
    ];
    const loop = { ownMs: 1000, ownBlocks: 10, waits, queued: { token: 'def456', ms: 349 } };
    assert.deepEqual(findingsIn([], { loop }), [
      'Blocked the event loop 10 times for 1.00 s',
      'abc123 blocked the event loop 3 times for 300 ms meanwhile',
      'Code outside any known request blocked the event loop for 40.0 ms meanwhile',
      'May have waited up to 349 ms before it was read: def456 blocked the event loop',
    ]);
  });

  it('only count the part of a step within the request', () => {
    assert.equal(longestIn([span('database', -80, 140)]), '1 query took 60.0 ms of 100 ms');
    assert.equal(longestIn([span('database', -80, 120)]), undefined);
    assert.equal(longestIn([span('http', 70, 90)]), undefined);
  });
});
