import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeConfiguration } from './describe-configuration.js';
import { readConfiguration } from './read-configuration.js';

describe('describeConfiguration', () => {
  it('names the time zone that dates are shown in', () => {
    const { timezone } = describeConfiguration(readConfiguration({}));
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
      assert.equal(describeConfiguration(readConfiguration({}))['timezone'], 'Asia/Tokyo');
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  });
});
