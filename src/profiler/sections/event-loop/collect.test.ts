import assert from 'node:assert/strict';
import { afterEach, describe, it, mock } from 'node:test';
import { tokenOf } from '../../encoding/token.js';
import { type LoopBlock, loopWatch } from '../../recording/loop-watch.js';
import { RequestRecording } from '../../recording/request-recording.js';
import { loopCollector } from './collect.js';
import { loopDefinition, type LoopSection } from './section.js';

/** What is collected of these blocks for the request 1, which began at 1000. */
function sectionOf(...blocks: readonly Partial<LoopBlock>[]): LoopSection | undefined {
  return sectionWith({}, blocks);
}

function sectionWith(request: object, blocks: readonly Partial<LoopBlock>[] = []): LoopSection | undefined {
  const asked = mock.method(loopWatch, 'since', () =>
    blocks.map((block) => ({
      by: 2,
      from: 1000,
      to: 1000,
      since: 1000,
      blockedMs: 0,
      stoppedMs: 0,
      ...block,
    })),
  );
  const recording = Object.assign(Object.create(RequestRecording.prototype) as RequestRecording, {
    id: 1,
    spans: { start: 1000 },
    request,
  });
  const section = loopCollector.collect?.(recording) as LoopSection | undefined; // what it makes
  assert.deepEqual(asked.mock.calls[0]?.arguments, [1000]);
  return section;
}

describe('what stopped the event loop, in a record', () => {
  afterEach(() => mock.restoreAll());

  it('is nothing where nothing did, and for requests that are not recorded here', () => {
    assert.equal(sectionOf(), undefined);
    assert.equal(sectionOf({ to: 1004, blockedMs: 4 }), undefined); // less than 5 ms
    assert.equal(loopCollector.collect?.({} as RequestRecording), undefined);
  });

  it('is the wait of 20 ms and more for the body, with a step that is accounted to nothing', () => {
    const read = { startedAt: 1010, endedAt: 1110, waitedMs: 20 };
    const body = { startMs: 10, durationMs: 100, waitedMs: 20 };
    assert.deepEqual(sectionWith({ bodyWait: read }), { ownMs: 0, waits: [], stops: [], body });
    assert.equal(sectionWith({ bodyWait: { ...read, waitedMs: 19.9 } }), undefined);
    const name = 'Waiting for the body of the request';
    assert.deepEqual(loopDefinition.timeline?.({ ownMs: 0, waits: [], body }), [
      { name, category: 'unaccounted', startMs: 10, durationMs: 100, busyMs: 20 },
    ]);
  });

  it('is the longest block by the request itself, and those by others that it waited for', () => {
    const section = sectionOf(
      { by: 1, from: 1000, to: 1080, blockedMs: 80 },
      { by: 1, from: 1100, to: 1150, blockedMs: 50 },
      { from: 1200, to: 1205, blockedMs: 5 },
      { from: 950, to: 1060, blockedMs: 100 }, // for half of it before the request
      { from: 900, to: 1020, blockedMs: 60 }, // over before it
    );
    assert.deepEqual(section, {
      ownMs: 80,
      waits: [
        { token: tokenOf(2), startMs: 0, durationMs: 50 },
        { token: tokenOf(2), startMs: 200, durationMs: 5 },
      ],
      stops: [],
    });
  });

  it('lists the five longest waits, and the first five stops in their order', () => {
    const blocks = [10, 20, 30, 40, 50, 60].map((ms, at) => ({
      from: 1000 + at * 100,
      to: 1000 + at * 100 + ms,
      since: 1000 + at * 100,
      blockedMs: ms,
      stoppedMs: ms,
    }));
    const section = sectionOf(...blocks, { from: 2000, to: 2040, since: 2000, stoppedMs: 25 });
    assert.deepEqual(
      section?.waits.map(({ durationMs }) => durationMs),
      [60, 50, 40, 30, 20],
    );
    assert.deepEqual(
      section.stops?.map(({ startMs, stoppedMs }) => [startMs, stoppedMs]),
      [
        [100, 20],
        [200, 30],
        [300, 40],
        [400, 50],
        [500, 60],
      ],
    );
  });

  it('has a stop only of what can have been within the request', () => {
    const stop = { from: 990, to: 1100, since: 970 };
    assert.equal(sectionOf({ ...stop, stoppedMs: 49 }), undefined); // 30 ms of it may have been before
    assert.deepEqual(sectionOf({ ...stop, stoppedMs: 50 })?.stops, [
      { startMs: 0, durationMs: 100, stoppedMs: 20 },
    ]);
    assert.deepEqual(sectionOf({ ...stop, stoppedMs: 500 })?.stops, [
      { startMs: 0, durationMs: 100, stoppedMs: 100 },
    ]);
  });

  it('has a bar for each stop, as long as the process stood still', () => {
    const section = { ownMs: 0, waits: [], stops: [{ startMs: 5, durationMs: 90, stoppedMs: 70 }] };
    assert.deepEqual(loopDefinition.timeline?.(section), [
      { name: 'The process did not run', category: 'unaccounted', startMs: 5, durationMs: 90, busyMs: 70 },
    ]);
    assert.deepEqual(loopDefinition.timeline?.({ ownMs: 5, waits: [] }), []);
  });
});
