import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { tokenOf } from '../../encoding/token.js';
import { type LoopTimes, loopWatch, outsideId, RunTimes } from '../../recording/loop-watch.js';
import { RequestRecording } from '../../recording/request-recording.js';
import { loopCollector } from './collect.js';
import { loopDefinition, type LoopSection } from './section.js';

const nothing: LoopTimes = { runs: [], outside: [], own: [], stops: [], blocks: [] };
/** Answers from the clock and the watch. Each is mocked once, because `restoreAll` keeps the first mock if mocks are stacked. */
const answers: { now: number; known: LoopTimes | undefined } = { now: 0, known: undefined };

let ports = 0;
/** A request that arrived over a separate connection. */
const source = (): object => ({ peer: { address: '127.0.0.1', port: ++ports }, httpVersion: '1.1' });

/** Returns the section for request 1's known times, which began at 1000 and ends at `end`. */
function sectionOf(
  known: Partial<LoopTimes> | undefined,
  { request = {}, end = 1100, queued }: { request?: object; end?: number; queued?: RunTimes['queued'] } = {},
): LoopSection | undefined {
  answers.now = end;
  answers.known = known && { ...nothing, ...known };
  const times = Object.assign(new RunTimes(1), { queued });
  const recording = Object.assign(Object.create(RequestRecording.prototype) as RequestRecording, {
    id: 1,
    spans: { start: 1000, times },
    request: { source: source(), ...request },
  });
  return loopCollector.collect?.(recording) as LoopSection | undefined; // its result type
}

describe('the event loop in a record', () => {
  before(() => {
    mock.method(performance, 'now', () => answers.now);
    mock.method(loopWatch, 'timesOf', () => answers.known);
    mock.method(loopWatch, 'pausedMsOf', (_: RunTimes, start: number, end: number) => {
      const { known } = answers;
      return known && end - start - known.runs.reduce((sum, { ms }) => sum + ms, 0);
    });
  });
  after(() => mock.restoreAll());

  it('is omitted for a short request whose code ran all the time, without known times, and for requests not recorded here', () => {
    const runs = [{ startMs: 0, durationMs: 9.8, ms: 9.8 }];
    assert.equal(sectionOf({ runs }, { end: 1010 }), undefined);
    assert.deepEqual(sectionOf({ runs }, { end: 1011 })?.runs, runs);
    assert.deepEqual(sectionOf({ runs }, { end: 1030 })?.runs, runs);
    assert.equal(sectionOf(undefined), undefined);
    assert.equal(loopCollector.collect?.({} as RequestRecording), undefined);
  });

  it('has body waits from 20 ms on, with a step that waits', () => {
    const bodyWait = { startedAt: 1010, endedAt: 1110, waitedMs: 20 };
    const body = { startMs: 10, durationMs: 100, waitedMs: 20 };
    assert.deepEqual(sectionOf(undefined, { request: { bodyWait } }), { ownMs: 0, waits: [], body });
    const short = { bodyWait: { ...bodyWait, waitedMs: 19.9 } };
    assert.equal(sectionOf(undefined, { request: short }), undefined);
    const name = 'Waiting for the body of the request';
    assert.deepEqual(loopDefinition.timeline?.({ ownMs: 0, waits: [], body }), [
      { name, category: 'waiting', startMs: 10, durationMs: 100, busyMs: 20 },
    ]);
  });

  it('has how often and how long the request blocked, and how long others and unknown code blocked in total, longest first', () => {
    const section = sectionOf({
      blocks: [
        { by: 1, from: 1000, to: 1080, blockedMs: 80 },
        { by: 1, from: 1100, to: 1150, blockedMs: 50 },
        { by: 2, from: 1200, to: 1260, blockedMs: 60 },
        { by: outsideId, from: 1300, to: 1400, blockedMs: 90 },
        { by: 2, from: 1500, to: 1560, blockedMs: 55 },
        { by: 3, from: 950, to: 1060, blockedMs: 100 }, // for half of it before the request
        { by: 3, from: 900, to: 1003, blockedMs: 102 }, // over before it, except for 2 ms
      ],
    });
    assert.deepEqual([section?.ownMs, section?.ownBlocks], [130, 2]);
    assert.deepEqual(section?.waits, [
      { token: tokenOf(2), startMs: 200, durationMs: 115, blocks: 2 },
      { token: null, startMs: 300, durationMs: 90, blocks: 1 },
      { token: tokenOf(3), startMs: 0, durationMs: 50, blocks: 1 },
    ]);
  });

  it('has the request that may have delayed reading this one', () => {
    const queued = { by: 2, isOne: true, ms: 350 };
    assert.deepEqual(sectionOf({}, { queued })?.queued, { token: tokenOf(2), ms: 350 });
    const others = { by: outsideId, isOne: false, ms: 60 };
    assert.deepEqual(sectionOf({}, { queued: others })?.queued, { token: null, ms: 60, others: true });
    // A request made by the process itself is not read from a connection.
    assert.equal(sectionOf({}, { queued, request: { source: { peer: {} } } })?.queued, undefined);
  });

  it('waited no longer than since the end of the previous request on its HTTP/1.1 connection', () => {
    const queued = { by: 2, isOne: true, ms: 350 };
    const waitAfter = (end: number, more: object = {}): number | undefined => {
      const request = { source: { ...source(), ...more } }; // the remote end is the same
      sectionOf({}, { request, end });
      return sectionOf({}, { queued, request })?.queued?.ms;
    };
    assert.equal(waitAfter(900), 100);
    assert.equal(waitAfter(400), 350);
    assert.equal(waitAfter(990), undefined, 'waits below 20 ms are not shown');
    assert.equal(waitAfter(900, { httpVersion: '2.0' }), 350, 'HTTP/2 streams do not wait for each other');
  });
});
