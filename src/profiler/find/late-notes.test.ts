import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flattenError } from '#errors';
import type { ProfileRecord, RecordedLog } from '../model/profile-record.js';
import type { ProfileSummary } from '../model/profile-summary.js';
import { LateNotes } from './late-notes.js';

const line: RecordedLog = { time: 1, offsetMs: 5, level: 'warning', channel: 'app', message: 'late' };
const report = flattenError(new TypeError('too late'));
// Only what late notes read and change.
const record = {
  token: 'aaaaaa',
  logs: [],
  logTotals: { total: 2, byLevel: { info: 2 }, omitted: 0, omittedAfter: 0 },
  exception: null,
  limits: [],
} as unknown as ProfileRecord;
const row = {
  token: 'aaaaaa',
  logs: 2,
  warnings: 0,
  exception: null,
  errorClass: null,
} as unknown as ProfileSummary; // the same

describe('LateNotes', () => {
  it('leave a record and a row without notes as they are', () => {
    const notes = new LateNotes();
    notes.log('bbbbbb', line);
    assert.equal(notes.addTo(record), record);
    assert.equal(notes.addToRow(row), row);
  });

  it('put late lines and the first late error to the record and to its row', () => {
    const notes = new LateNotes();
    notes.log('aaaaaa', line);
    notes.error('aaaaaa', report);
    notes.error('aaaaaa', flattenError(new Error('later still')));
    const { logs, logTotals, exception } = notes.addTo(record);
    assert.deepEqual(logs, [line]);
    assert.deepEqual(logTotals.byLevel, { info: 2, warning: 1 });
    assert.equal(logTotals.total, 3);
    assert.equal(exception, report);
    const { errorClass, exception: message, warnings } = notes.addToRow(row);
    assert.deepEqual([errorClass, message, warnings], ['TypeError', 'too late', 1]);
    assert.deepEqual(notes.thrown(), ['aaaaaa']);
  });

  it('an error of the request itself stays the one that is shown', () => {
    const notes = new LateNotes();
    notes.error('aaaaaa', flattenError(new Error('second')));
    assert.equal(notes.addTo({ ...record, exception: report }).exception, report);
    const shown = notes.addToRow({ ...row, exception: 'first', errorClass: 'RangeError' });
    assert.deepEqual([shown.exception, shown.errorClass], ['first', 'RangeError']);
  });

  it('keep twenty lines of a record and count the others, and notes of the last two hundred records', () => {
    const notes = new LateNotes();
    for (let at = 0; at < 25; at++) notes.log('aaaaaa', line);
    const { logs, logTotals, limits } = notes.addTo(record);
    assert.equal(logs.length, 20);
    assert.equal(logTotals.total, 27);
    assert.deepEqual(limits, [{ what: 'late logs', kept: 20, total: 25, limit: 20 }]);
    for (let at = 0; at < 200; at++) notes.error(`t${at}`, report);
    assert.equal(notes.addTo(record), record);
    assert.equal(notes.thrown().length, 200);
  });
});
