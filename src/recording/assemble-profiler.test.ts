import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeProcess } from './assemble-profiler.js';

const settings = { store: 'memory:', retention: { count: 1, age: 1, bytes: 1 } };

describe('describeProcess', () => {
  it('names the time zone that dates are shown in', () => {
    const { timezone } = describeProcess(settings);
    const date = new Date('2026-07-01T12:00:00Z');
    assert.equal(
      date.toLocaleString('en', { timeZone: String(timezone) }),
      date.toLocaleString('en'),
      String(timezone),
    );
  });

  it('takes the one that TZ names', () => {
    const before = process.env['TZ'];
    try {
      process.env['TZ'] = 'Asia/Tokyo';
      assert.equal(describeProcess(settings)['timezone'], 'Asia/Tokyo');
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  });
});
