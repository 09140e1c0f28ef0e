import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordTarget, stopRecording } from './targets.js';
import { TappedObjects } from './targets.js';

describe('targets', () => {
  it('are tapped once, given back, and left as they were', () => {
    const target = { isOpen: false };
    const names = { function: 'recordThat', known: 'that' };
    let taps = 0;
    const tap = (given: object): (() => void) => {
      taps++;
      Object.assign(given, { isOpen: true });
      return () => void Object.assign(given, { isOpen: false });
    };
    assert.equal(recordTarget(target, tap, names), target);
    assert.equal(recordTarget(target, tap, names), target);
    assert.deepEqual([taps, target.isOpen], [1, true]);
    stopRecording(target);
    stopRecording(target);
    assert.equal(target.isOpen, false);
    assert.throws(() => recordTarget(target, () => undefined, names), {
      code: 'TAPS_UNKNOWN_TARGET',
      message: /recordThat.*Object/,
    });
  });

  it('that were tapped on the way are undone together, each once', () => {
    const undone: unknown[] = [];
    const objects = new TappedObjects();
    const [first, second, unknown] = [{ first: 1 }, { second: 2 }, { unknown: 3 }];
    const tap = (target: object): (() => void) | undefined =>
      target === unknown ? undefined : () => void undone.push(target);
    for (const given of [first, second, first, unknown, null, 7]) objects.add(given, tap);
    objects.undoAll();
    assert.deepEqual(undone, [first, second]);
    objects.undoAll();
    assert.equal(undone.length, 2);
    objects.add(first, tap);
    objects.undoAll();
    assert.equal(undone.length, 3);
  });
});
