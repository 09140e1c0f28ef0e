import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LogRecord } from '#core/log';
import { observeScopes, runInScope, Scope } from '#core/scope';
import { type Recording, requestRecording } from '#profiler';
import { recordLogLine } from '../../src/profiler/instrumentation/logs/record-log-line.js';

describe('a line from the application’s logger', () => {
  /** Records a line; returns its location, and the time that recording it took. */
  function recorded(isLogFull: boolean): { source: unknown; ownMs: number | undefined } {
    const lines: LogRecord[] = [];
    const recording = { isLogFull, log: (line: LogRecord) => void lines.push(line) };
    const scope = new Scope();
    scope.set(requestRecording, recording as unknown as Recording); // nothing else is needed
    let ownMs: number | undefined;
    const ignore = (): void => undefined;
    observeScopes({ enter: ignore, leave: ignore, own: (from, to) => (ownMs = to - from) });
    try {
      runInScope(scope, () => recordLogLine({ level: 'info', channel: 'app', message: 'line' }));
    } finally {
      observeScopes(undefined);
    }
    const context = lines[0]?.context as { source?: unknown } | undefined; // written by the line above
    return { source: context?.source, ownMs };
  }

  it('has the location of its call, and the time to record it is attributed to lookback', () => {
    const { source, ownMs } = recorded(false);
    assert.match(String(source), /log-line-location\.test\.[jt]s:\d+:\d+$/);
    assert.ok(ownMs !== undefined && ownMs >= 0);
  });

  it('has no location once the record keeps no more lines', () => {
    assert.equal(recorded(true).source, undefined);
  });
});
