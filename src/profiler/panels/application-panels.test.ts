import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { badgeOf, textOf } from '../../../test/profiler/plain-record.js';
import { eventsPanel } from './application-panels.js';

describe('the panel of events', () => {
  const listener = { name: 'l', priority: 5, startMs: 1, durationMs: 2, stopped: false, failed: false };

  it('counts calls, and those that threw first', () => {
    const events = [
      { event: 'request', startMs: 0, durationMs: 3, listeners: [listener, { ...listener, stopped: true }] },
      { event: 'quiet', startMs: 4, durationMs: 0, listeners: [] },
    ];
    assert.deepEqual(badgeOf(eventsPanel, { events }), {
      count: 2,
      tone: 'neutral',
      words: '2 listener calls',
    });
    const failed = [
      { ...events[0], event: 'x', startMs: 0, durationMs: 0, listeners: [{ ...listener, failed: true }] },
    ];
    assert.deepEqual(badgeOf(eventsPanel, { events: failed }), {
      count: 1,
      tone: 'warn',
      words: '1 listener threw',
    });
    const text = textOf(eventsPanel, { events: [...events, ...failed] });
    assert.match(
      text,
      /continued[^]*set the response; later listeners were skipped[^]*no listeners[^]*threw/,
    );
    assert.match(textOf(eventsPanel, {}), /No events were dispatched/);
  });
});
