import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProfileSummary } from '../../model/profile-summary.js';
import { problemsOf } from '../../findings/row-problems.js';

function row(changes: Partial<ProfileSummary>): ProfileSummary {
  return {
    token: 'abcdef',
    sequence: 1,
    bucket: 'app',
    parent: null,
    trace: null,
    visitor: null,
    startedAt: 0,
    durationMs: 1,
    breakdown: { framework: 1, app: 0, database: 0, http: 0, rendering: 0, unaccounted: 0 },
    state: 'complete',
    method: 'GET',
    url: 'http://a/',
    path: '/',
    status: 200,
    clientAddress: '127.0.0.1',
    route: null,
    exception: null,
    errorClass: null,
    errorPlace: null,
    errors: 0,
    collected: {},
    warnings: 0,
    logs: 0,
    user: null,
    instance: null,
    version: null,
    ...changes,
  };
}

const wordsOf = (changes: Partial<ProfileSummary>): string[] =>
  problemsOf(row(changes)).map(({ words }) => words);

describe('problems of a row', () => {
  it('names an exception; of a refusal in plain ink, and a miss without a route in two words', () => {
    for (const status of [500, 503, 200, 0])
      assert.deepEqual(wordsOf({ status, exception: 'It broke.' }), ['It broke.']);
    for (const status of [403, 404])
      assert.deepEqual(problemsOf(row({ status, route: 'a', exception: 'It is so.' })), [
        { tone: 'plain', words: 'It is so.' },
      ]);
    assert.deepEqual(wordsOf({ status: 404, exception: 'No route found for …' }), ['No route']);
  });

  it('does not repeat an exception as the log entry that it left, and distinguishes errors from warnings', () => {
    assert.deepEqual(wordsOf({ status: 500, exception: 'It broke.', errors: 1, warnings: 1 }), ['It broke.']);
    assert.deepEqual(wordsOf({ status: 500, exception: 'It broke.', errors: 2, warnings: 4 }), [
      'It broke.',
      '1 logged error',
      '2 log warnings',
    ]);
  });

  it('never says nothing in a chip', () => {
    assert.deepEqual(wordsOf({ status: 500, exception: '' }), ['thrown without a message']);
  });

  it('says what became of the request', () => {
    assert.deepEqual(wordsOf({ state: 'unfinished', status: 0 }), ['unfinished']);
    assert.deepEqual(wordsOf({ state: 'aborted', durationMs: 2000, warnings: 1 }), [
      'the client disconnected',
      'slow: 2.00 s',
      '1 log warning',
    ]);
  });
});
