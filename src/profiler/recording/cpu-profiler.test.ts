import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keepProfile, type V8Profile } from './cpu-profiler.js';

const usOfCaller = 1;

/** A profile in which one caller below the root calls functions, with the given microseconds. */
function profileOf(times: readonly number[]): V8Profile {
  const callFrame = (functionName: string): V8Profile['nodes'][number]['callFrame'] => ({
    functionName,
    url: 'file:///app.js',
    lineNumber: 0,
    columnNumber: 0,
  });
  const called = times.map((_, at) => ({ id: at + 3, callFrame: callFrame(`f${at}`) }));
  const ids = called.map(({ id }) => id);
  const above = [
    { id: 1, callFrame: callFrame('(root)'), children: [2] },
    { id: 2, callFrame: callFrame('caller'), children: ids },
  ];
  return {
    nodes: [...above, ...called],
    startTime: 0,
    endTime: usOfCaller + times.reduce((sum, us) => sum + us, 0),
    samples: [2, ...ids],
    timeDeltas: [0, usOfCaller, ...times.slice(0, -1)],
  };
}

/** Microseconds by function, for those that a section keeps. */
function timesIn(profile: V8Profile): { readonly isCut: boolean; readonly times: Map<string, number> } {
  const section = keepProfile(profile, { isCut: false, others: 0, startUs: 0 });
  const times = new Map<string, number>();
  for (const { node, us } of section.samples) {
    const name = section.functions[section.nodes[node]?.call ?? -1]?.name ?? 'none';
    times.set(name, (times.get(name) ?? 0) + us);
  }
  return { isCut: section.isCut, times };
}

describe('keepProfile', () => {
  it('keeps a profile within the limits completely', () => {
    const { isCut, times } = timesIn(profileOf(Array.from({ length: 3998 }, (_, at) => at + 1)));
    assert.equal(isCut, false);
    assert.deepEqual([times.size, times.get('f0'), times.get('f3997')], [3999, 1, 3998]);
  });

  it("keeps a larger profile's most expensive functions, and attributes the rest to their callers", () => {
    const { isCut, times } = timesIn(profileOf(Array.from({ length: 4500 }, (_, at) => at + 1)));
    assert.equal(isCut, true);
    const [leastBusy, kept] = [4500 - 3998, [...times.keys()].filter((name) => name !== 'caller')];
    assert.deepEqual([kept.length, times.has(`f${leastBusy - 1}`)], [3998, false]);
    assert.deepEqual([times.get(`f${leastBusy}`), times.get('f4499')], [leastBusy + 1, 4500]);
    assert.equal(times.get('caller'), usOfCaller + (leastBusy * (leastBusy + 1)) / 2);
  });
});
