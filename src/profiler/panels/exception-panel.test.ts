import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flattenError } from '#errors';
import type { ProfileRecord, RecordedLog } from '../model/profile-record.js';
import { exceptionPanel } from './exception-panel.js';
import type { PanelContext } from './panel.js';

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
    exception: unseen,
    response,
    logs: [],
    durationMs: 10,
    ...changes,
  } as Partial<ProfileRecord>;
  const blocks = exceptionPanel.show(record as ProfileRecord, {} as PanelContext); // it looks at no more of both
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
