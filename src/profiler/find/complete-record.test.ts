import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StoredRecord } from '../model/profile-store.js';
import { completeRecord } from './complete-record.js';
import { LateNotes } from './late-notes.js';

describe('a record that is completed', () => {
  const base = {
    startedAt: 50,
    timeline: [{ name: 'a', category: 'app', startMs: 0, durationMs: 1 }],
    logs: [],
    logTotals: { total: 0, byLevel: {}, omitted: 0, omittedAfter: 0 },
    limits: [],
    exception: null,
  };
  const stored = { ...base, sections: { mail: { n: 1 }, other: 5, __proto__: 1 } } as never as StoredRecord; // what is read of it

  it('has its token, its sections as their collectors make them, and their time', () => {
    const mail = {
      complete: (data: unknown, startedAt: number) => ({ data, startedAt }),
      timeline: () => [{ name: 'send', category: 'http', startMs: 1, durationMs: 2 } as const],
    };
    const record = completeRecord(stored, 'abc123', {
      parts: new Map([['mail', mail]]),
      late: new LateNotes(),
    });
    assert.equal(record.token, 'abc123');
    assert.deepEqual({ ...record.sections }, { mail: { data: { n: 1 }, startedAt: 50 }, other: 5 });
    assert.deepEqual(record.timeline, [
      ...base.timeline,
      { name: 'send', category: 'http', startMs: 1, durationMs: 2, section: 'mail' },
    ]);
    assert.equal(base.timeline.length, 1);
  });

  it('shows a section as it is where its collector cannot read it', () => {
    const broken = (): never => {
      throw new TypeError('not mine');
    };
    const parts = new Map([
      ['mail', { complete: broken }],
      ['other', { timeline: broken }],
    ]);
    const record = completeRecord(stored, 'abc123', { parts, late: new LateNotes() });
    assert.deepEqual({ ...record.sections }, { mail: { n: 1 }, other: 5 });
    assert.deepEqual(record.timeline, base.timeline);
  });
});
