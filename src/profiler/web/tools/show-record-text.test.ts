import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plain } from '../../../../test/profiler/plain-record.js';
import type { ProfileRecord, RecordedLog } from '../../model/profile-record.js';
import { defaultParts, logPart } from './show-record-text.js';

/** A record with log lines of these levels, numbered from 0. */
function logging(...levels: readonly RecordedLog['level'][]): ProfileRecord {
  const logs = levels.map((level, at): RecordedLog => ({
    time: 0,
    offsetMs: 1,
    level,
    channel: 'app',
    message: `line ${at}`,
  }));
  const byLevel = Object.fromEntries(
    levels.map((level) => [level, levels.filter((one) => one === level).length]),
  );
  return { ...plain, logs, logTotals: { ...plain.logTotals, total: logs.length, byLevel } };
}

describe('the log of a record for assistants', () => {
  const messages = ({ lines }: ReturnType<typeof logPart>): readonly (string | undefined)[] =>
    lines.map((line) => /line \d+/.exec(line)?.[0]);

  it('has the last twelve lines in order, and says how many are left out', () => {
    const part = logPart(logging(...Array.from({ length: 15 }, () => 'info' as const)));
    assert.deepEqual(
      messages(part),
      Array.from({ length: 12 }, (_, at) => `line ${at + 3}`),
    );
    assert.equal(part.left, '3 of 15 log lines (tool logs)');
    assert.deepEqual(logPart(logging()), { lines: [] });
  });

  it('keeps warnings and errors first, and no other line if they fill it', () => {
    const some = logPart(logging('error', ...Array.from({ length: 12 }, () => 'debug' as const), 'warning'));
    assert.deepEqual(
      messages(some).map((line) => Number(line?.slice(5))),
      [0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
    );
    const full = logPart(logging('info', ...Array.from({ length: 13 }, () => 'error' as const), 'info'));
    assert.deepEqual(
      messages(full).map((line) => Number(line?.slice(5))),
      [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
    );
    assert.equal(full.left, '3 of 15 log lines (tool logs)');
  });

  it('is shown by default only with a warning or an error', () => {
    assert.equal(defaultParts(logging('info', 'debug')).includes('log'), false);
    assert.equal(defaultParts(logging('info', 'warning')).includes('log'), true);
    assert.equal(defaultParts(logging('error')).includes('log'), true);
  });
});
