import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keepProfile, unseenCall, type V8Profile } from '../../recording/cpu-profiler.js';
import { isOwnCall, readCallTree, sumFunctions } from './call-tree.js';
import { fileURLToPath } from 'node:url';

const frame = (
  functionName: string,
  lineNumber: number,
  url = '/app/a.js',
): V8Profile['nodes'][number]['callFrame'] => ({
  functionName,
  url,
  lineNumber,
  columnNumber: 0,
});
const seen = { isCut: false, others: 0, startUs: 0 };

/** root → list (1 ms) → row (2 ms) → list (3 ms); idle for 1 ms, and 40 ms in which no sample was taken. */
const profile: V8Profile = {
  nodes: [
    { id: 1, callFrame: frame('(root)', -1, ''), children: [2, 3] },
    { id: 2, callFrame: frame('list', 9), children: [4] },
    { id: 3, callFrame: frame('(idle)', -1, '') },
    { id: 4, callFrame: frame('', 19), children: [5] },
    { id: 5, callFrame: frame('list', 9) },
  ],
  startTime: 0,
  endTime: 52_000,
  samples: [2, 2, 4, 5, 3, 4],
  timeDeltas: [0, 500, 500, 2000, 3000, 1000],
};

describe('calls in a CPU profile', () => {
  it('begin when the sampler runs: the time to start it is not attributed to the request', () => {
    const section = keepProfile(profile, { ...seen, startUs: 2000 });
    assert.equal(section.durationMs, 50);
    assert.deepEqual(
      section.samples.map(({ us }) => us),
      [1000, 3000, 1000, 5000, 40_000],
    );
  });

  it('belong to the application unless their file is part of a package, Node or lookback', () => {
    const owners = [
      '/app/a.js',
      '/app/node_modules/pg/lib/client.js',
      'node:http',
      fileURLToPath(import.meta.url),
    ];
    assert.deepEqual(
      owners.map((file) => isOwnCall({ file })),
      [true, false, false, false],
    );
  });

  it('have the time until the next sample, for themselves and their callees', () => {
    const section = keepProfile(profile, seen);
    assert.deepEqual(
      section.samples.map(({ us }) => us),
      [1000, 2000, 3000, 1000, 5000, 40_000],
    );
    const { calls, idleUs, unseenUs } = readCallTree(section);
    assert.deepEqual([idleUs, unseenUs], [1000, 40_000]);
    assert.deepEqual(
      calls.map(({ name, line, selfUs, totalUs }) => [name, line, selfUs, totalUs]),
      [
        ['(root)', 0, 0, 11_000],
        ['list', 10, 1000, 11_000],
        ['(idle)', 0, 1000, 0],
        ['(anonymous)', 20, 7000, 10_000],
        ['list', 10, 3000, 3000],
        [unseenCall, 0, 40_000, 0],
      ],
    );
  });

  it('are summed by function, counting recursion once', () => {
    const sums = sumFunctions(readCallTree(keepProfile(profile, seen)).calls);
    assert.deepEqual(
      sums.map(({ name, selfUs, totalUs }) => [name, selfUs, totalUs]),
      [
        ['list', 4000, 11_000],
        ['(anonymous)', 7000, 10_000],
      ],
    );
  });

  it('are bounded: rare branches are attributed to their parents, no time is lost, and the profile is marked as cut', () => {
    const amount = 6000;
    const ids = Array.from({ length: amount }, (_, at) => at + 2);
    const wide: V8Profile = {
      nodes: [
        { id: 1, callFrame: frame('(root)', -1, ''), children: ids },
        ...ids.map((id) => ({ id, callFrame: frame(`f${id}`, id) })),
      ],
      startTime: 0,
      endTime: amount * 10,
      samples: ids,
      timeDeltas: ids.map((_, at) => (at === 0 ? 0 : 10)),
    };
    const section = keepProfile(wide, seen);
    assert.ok(section.nodes.length <= 4001 && section.isCut, String(section.nodes.length));
    assert.equal(readCallTree(section).calls[0]?.totalUs, amount * 10);
    assert.equal(keepProfile(profile, seen).isCut, false);
  });
});
