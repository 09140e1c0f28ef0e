import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  callOf,
  callSiteOf,
  countOf,
  countOrNull,
  messageOf,
  messagesOf,
  messageText,
  positiveNumber,
} from './message-reader.js';

describe('a message on a channel that anyone may publish to', () => {
  it('replaces negative and invalid numbers with 0, and invalid counts with null', () => {
    assert.deepEqual(
      [1.5, 0, -1, Number.NaN, Infinity, '1', null].map(positiveNumber),
      [1.5, 0, 0, 0, 0, 0, 0],
    );
    assert.deepEqual([2, 0, -1, 1.5, 2 ** 53, '1'].map(countOrNull), [2, 0, null, null, null, null]);
    assert.deepEqual([2, -1].map(countOf), [2, 0]);
  });

  it('truncates texts, and replaces other types with empty texts', () => {
    assert.equal(messageText('t'.repeat(501)), 't'.repeat(500));
    assert.equal(messageText('text', 3), 'tex');
    assert.equal(messageText(5), '');
  });

  it('reduces errors to their messages', () => {
    assert.deepEqual([new Error('no'), { message: 'no' }, 'no', {}, { message: 1 }, 5, null].map(messageOf), [
      'no',
      'no',
      'no',
      'failed',
      'failed',
      'failed',
      'failed',
    ]);
  });

  it('limits lists to fifty objects', () => {
    assert.equal(messagesOf(Array.from({ length: 51 }, () => ({}))).length, 50);
    assert.deepEqual(messagesOf([1, null, { a: 1 }, undefined]), [{ a: 1 }]);
    assert.deepEqual(messagesOf({ length: 1 }), []);
  });

  it('keeps at most six frames of a call site, each with a file', () => {
    const frame = { name: 'n'.repeat(301), file: 'f'.repeat(1001), line: 3, column: -1 };
    const read = callSiteOf([{ name: 'no file' }, ...Array.from({ length: 7 }, () => frame)]);
    assert.equal(read.length, 6);
    assert.deepEqual(read[0], { name: 'n'.repeat(300), file: 'f'.repeat(1000), line: 3, column: 0 });
    assert.equal(callSiteOf([{ file: 'a' }])[0]?.name, null);
  });

  it("has a call's facts, relative to the request", () => {
    assert.deepEqual(callOf({ startedAt: 5, durationMs: 2, error: null, callSite: [] }, 3), {
      offsetMs: 2,
      durationMs: 2,
      error: null,
      callSite: [],
    });
    assert.deepEqual(
      [undefined, '', 'e'.repeat(1001)].map((error) => callOf({ error }, 0).error),
      [null, 'failed', 'e'.repeat(1000)],
    );
  });
});
