import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ErrorReport, flattenError } from '#core/errors';
import { badgeOf, plain, shown } from '../../../../test/profiler/plain-record.js';
import type { ProfileRecord, RecordedLog } from '../../model/profile-record.js';
import { exceptionPanel } from './panel.js';
import type { PanelContext } from '../panel.js';

const seen = flattenError(new Error('It broke.'), { libraryFolders: [] });

const unseen = { ...seen, errors: seen.errors.map((error) => ({ ...error, isOuter: false })) };

const response = { status: 200, headers: [], cookies: [], bodyBytes: 4, body: null, completed: true };

const rejection = (offsetMs: number): RecordedLog => ({
  time: 0,
  offsetMs,
  level: 'critical',
  channel: 'process',
  message: 'A promise failed.',
});

function noteOf(changes: Partial<ProfileRecord>): string | undefined {
  const record = {
    request: { method: 'GET' },
    exception: unseen,
    response,
    logs: [],
    durationMs: 10,
    ...changes,
  } as unknown as ProfileRecord;
  const blocks = exceptionPanel.show(record, {} as PanelContext); // it looks at no more of both
  return blocks.flatMap((block) => (block.kind === 'note' ? [block.text] : []))[0];
}

describe('exception panel', () => {
  it('says what the client got where the error is not what it saw', () => {
    assert.equal(noteOf({ exception: seen }), undefined);
    assert.match(noteOf({}) ?? '', /after the response, which the client got whole/);
    assert.match(noteOf({ response: null }) ?? '', /no response was sent/);
    assert.match(
      noteOf({ response: { ...response, completed: false } }) ?? '',
      /broke off after 4 B.*cut response/,
    );
    assert.match(noteOf({ logs: [rejection(52)] }) ?? '', /rejected 42.0 ms after the response was sent/);
    assert.match(noteOf({ logs: [rejection(4)] }) ?? '', /rejected 4.00 ms into the request/);
  });
});

describe('the panel of the exception', () => {
  const report = {
    class: 'TypeError',
    message: 'x',
    status: 500,
    errors: [{ label: '1', class: 'TypeError', message: 'x', isOuter: true, frames: [] }],
  } as unknown as ErrorReport; // what is looked at
  const late: ErrorReport = {
    ...report,
    errors: report.errors.map((error) => ({ ...error, isOuter: false })),
  };
  const notes = (changes: Partial<ProfileRecord>): readonly string[] =>
    shown(exceptionPanel, { exception: late, ...changes }).flatMap((block) =>
      block.kind === 'note' ? [block.text] : [],
    );

  it('counts what was thrown, and opens the record', () => {
    assert.equal(badgeOf(exceptionPanel, {}), undefined);
    assert.deepEqual(badgeOf(exceptionPanel, { exception: { ...report, more: 3 } }), {
      count: 4,
      tone: 'error',
      words: 'TypeError',
    });
    assert.deepEqual(badgeOf(exceptionPanel, { exception: { ...report, status: 404 } }), {
      count: 1,
      tone: 'warn',
      words: 'TypeError',
    });
    assert.deepEqual(
      [exceptionPanel.opens?.(plain), exceptionPanel.opens?.({ ...plain, exception: report })],
      [false, true],
    );
    assert.equal(shown(exceptionPanel, { exception: report }).length, 1);
  });

  it('says what the client got of one that came behind the response', () => {
    const response = plain.response;
    assert.match(notes({ response: null })[0] ?? '', /no response was sent/);
    assert.match(
      notes({ response: response && { ...response, completed: false } })[0] ?? '',
      /broke off after 10 B/,
    );
    assert.match(notes({})[0] ?? '', /which the client got whole/);
    const log = (offsetMs: number) => ({
      time: 0,
      offsetMs,
      level: 'critical',
      channel: 'process',
      message: 'm',
    });
    assert.match(notes({ logs: [log(300)] })[0] ?? '', /rejected 100 ms after the response/);
    assert.match(notes({ logs: [log(50)] })[0] ?? '', /rejected 50\.0 ms into the request/);
  });
});
