import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { logLevels } from '#log';
import { readLogs } from './read-logs.js';

describe('what is read of the log', () => {
  it('lines with their times, and only the levels there were', () => {
    const line = { level: 'error', channel: 'app', message: 'm', offsetMs: 2.5, context: null };
    const { logs, logTotals } = readLogs(
      {
        lines: [line],
        byLevel: logLevels.map((level) => (level === 'error' ? 3 : 0)),
        omitted: 2,
        omittedAfter: 1,
      },
      1000,
    );
    assert.deepEqual(logs, [{ time: 1002.5, offsetMs: 2.5, level: 'error', channel: 'app', message: 'm' }]);
    assert.deepEqual(logTotals, { total: 3, byLevel: { error: 3 }, omitted: 2, omittedAfter: 1 });
    const none = readLogs({ lines: [], byLevel: [], omitted: 0, omittedAfter: 0 }, 0);
    assert.deepEqual(none.logTotals, { total: 0, byLevel: {}, omitted: 0, omittedAfter: 0 });
  });
});
