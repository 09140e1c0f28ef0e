import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type LogLevel, logLevels, type LogRecord } from '#core/log';
import { LogLines } from './log-lines.js';
import { recorderLimits } from './recorder-services.js';

function logged(count: number, limits = recorderLimits, message = (at: number) => `line ${at}`): LogLines {
  const lines = new LogLines(limits);
  for (let at = 0; at < count; at++) {
    const level: LogLevel = at % 10 === 0 ? 'error' : at % 10 === 1 ? 'warning' : 'info';
    const record: LogRecord = { time: 0, level, channel: 'app', message: message(at), context: undefined };
    const taken = { level: logLevels.indexOf(level), channel: 'app', offsetMs: at, context: undefined };
    lines.add(record, { ...taken, message: message(at) });
  }
  return lines;
}

describe('log lines', () => {
  it('are all kept while there are few', () => {
    const { lines, more } = logged(500).toRaw() ?? assert.fail();
    assert.deepEqual([lines.length, more], [500, undefined]);
  });

  it('beyond the limit keep the first and the last, count all, and mark the gap', () => {
    const lines = logged(10_000);
    const { lines: kept, more } = lines.toRaw() ?? assert.fail();
    const { omitted, omittedAfter, byLevel } = more ?? assert.fail();
    assert.deepEqual([kept.length, omitted, omittedAfter], [500, 9500, 50]);
    assert.deepEqual([kept[49]?.message, kept[50]?.message], ['line 49', 'line 9550']);
    assert.equal(kept.at(-1)?.message, 'line 9999');
    assert.equal(lines.total, 10_000);
    assert.equal(
      byLevel.reduce((sum, count) => sum + count, 0),
      10_000,
    );
  });

  it('are also bounded by their text, and the latest stays', () => {
    const limits = { ...recorderLimits, logText: 10_000 };
    const { lines, more } =
      logged(100, limits, (at) => String(at).padEnd(1000, 'x')).toRaw() ?? assert.fail();
    assert.equal(lines.length + (more?.omitted ?? 0), 100);
    assert.ok(lines.length <= 10, `${lines.length} lines`);
    assert.match(lines.at(-1)?.message ?? '', /^99x/);
    const [only] = logged(1, { ...limits, logText: 10 }, () => 'y'.repeat(1000)).toRaw()?.lines ?? [];
    assert.equal(only?.message.length, 1000);
  });
});
