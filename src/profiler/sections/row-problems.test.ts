import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plain } from '../../../test/profiler/plain-record.js';
import type { ProfileSummary } from '../model/profile-summary.js';
import { summaryOf } from '../model/profile-summary.js';
import { problemsOf } from './row-problems.js';

const plainRow = summaryOf(plain, {});
const row = (changes: Partial<ProfileSummary>): ProfileSummary => ({ ...plainRow, ...changes });

const wordsOf = (changes: Partial<ProfileSummary>): string[] =>
  problemsOf(row(changes)).map(({ words }) => words);

describe("a row's problems", () => {
  it('name an exception; a refusal in plain colour', () => {
    for (const status of [500, 503, 200, 0])
      assert.deepEqual(wordsOf({ status, exception: 'It broke.' }), ['It broke.']);
    for (const status of [403, 404])
      assert.deepEqual(problemsOf(row({ status, route: 'a', exception: 'It is so.' })), [
        { tone: 'plain', words: 'It is so.' },
      ]);
  });

  it('name the reason for a refusal by its finding', () => {
    const refusal = { kind: 'refused', level: 'warn', text: 'No route matches GET /' } as const;
    const slow = { ...refusal, kind: 'slow', text: 'The code of the controller took it all' };
    const findings = [slow, refusal];
    assert.deepEqual(problemsOf(row({ status: 404, findings })), [{ tone: 'plain', words: refusal.text }]);
    assert.deepEqual(wordsOf({ status: 404 }), []);
  });

  it('do not repeat an exception as its log entry, and distinguish errors from warnings', () => {
    assert.deepEqual(wordsOf({ status: 500, exception: 'It broke.', errors: 1, warnings: 1 }), ['It broke.']);
    assert.deepEqual(wordsOf({ status: 500, exception: 'It broke.', errors: 2, warnings: 4 }), [
      'It broke.',
      '1 logged error',
      '2 log warnings',
    ]);
  });

  it('quote the only error that was logged, unless the exception has a log line too', () => {
    const said = {
      kind: 'log-error',
      level: 'error',
      text: '1 error was logged: The mail was not sent',
    } as const;
    const logged = { errors: 1, findings: [said] };
    assert.deepEqual(wordsOf({ status: 200, ...logged }), ['logged: The mail was not sent']);
    assert.deepEqual(wordsOf({ status: 200, errors: 2 }), ['2 logged errors']);
    const both = wordsOf({ status: 500, exception: 'It broke.', ...logged, errors: 2 });
    assert.deepEqual(both, ['It broke.', '1 logged error']);
  });

  it('never leave a chip empty', () => {
    assert.deepEqual(wordsOf({ status: 500, exception: '' }), ['thrown without a message']);
  });

  it("name the request's outcome", () => {
    assert.deepEqual(wordsOf({ state: 'unfinished', status: 0 }), ['unfinished']);
    assert.deepEqual(wordsOf({ state: 'aborted', durationMs: 2000, answerMs: 2000, warnings: 1 }), [
      'the client disconnected',
      'slow: 2.00 s',
      '1 log warning',
    ]);
  });

  it('do not call a long-lived WebSocket slow', () => {
    assert.deepEqual(wordsOf({ status: 101, durationMs: 60_000, answerMs: 0 }), []);
  });

  it('do not call a stream with an immediate first byte slow, nor waiting code', () => {
    assert.deepEqual(wordsOf({ durationMs: 60_000, answerMs: 3 }), ['streamed for 60.00 s']);
    assert.deepEqual(wordsOf({ durationMs: 2000, answerMs: 1500 }), ['slow: 1.50 s']);
  });

  it("name a failure's location, but not one in lookback itself", () => {
    const [own] = problemsOf(
      row({ status: 500, exception: 'It broke.', errorLocation: 'src/a/greeting.ts:14' }),
    );
    assert.deepEqual(own, { tone: 'err', words: 'It broke.', location: 'greeting.ts:14' });
    const [ours] = problemsOf(row({ status: 500, exception: 'It broke.', errorLocation: 'lookback/a.ts:1' }));
    assert.deepEqual(ours, { tone: 'err', words: 'It broke.' });
  });

  it('name query locations at their first finding', () => {
    const collected = [
      { column: 'budget.exceeded', kind: 'count', finding: 'budget' },
      { column: 'db.repeated', kind: 'count', finding: 'N+1' },
      { column: 'db.slow', kind: 'count', finding: 'slow query' },
    ] as const;
    const found = (numbers: Record<string, number>, queryLocation: string | null): readonly object[] =>
      problemsOf(row({ collected: numbers, queryLocation }), collected);
    assert.deepEqual(found({ 'budget.exceeded': 1, 'db.repeated': 12, 'db.slow': 1 }, 'src/list.ts:31'), [
      { tone: 'warn', words: 'budget' },
      { tone: 'warn', words: 'N+1 ×12', location: 'list.ts:31' },
      { tone: 'warn', words: 'slow query' },
    ]);
    assert.deepEqual(found({ 'db.slow': 1 }, null), [{ tone: 'warn', words: 'slow query' }]);
    assert.deepEqual(found({ 'db.slow': 1, 'db.queries': 1, 'db.durationMs': 196 }, null), [
      { tone: 'warn', words: 'One query took 196 ms' },
    ]);
    assert.deepEqual(found({ 'budget.exceeded': 1 }, 'src/list.ts:31'), [{ tone: 'warn', words: 'budget' }]);
  });

  it('name what took most of a long request, and what queries did only if notable', () => {
    const none = {
      framework: 1,
      app: 0,
      database: 0,
      http: 0,
      rendering: 0,
      profiler: 0,
      waiting: 0,
      busy: 0,
      unaccounted: 0,
    };
    const collected = [
      { column: 'db.repeated', kind: 'count', finding: 'N+1' },
      { column: 'db.slow', kind: 'count' },
    ] as const;
    const words = (durationMs: number, breakdown: Partial<typeof none>, queries = 6): string[] =>
      problemsOf(
        row({
          durationMs,
          answerMs: durationMs,
          breakdown: { ...none, ...breakdown },
          collected: { 'db.repeated': queries },
        }),
        collected,
      ).map((problem) => problem.words);
    assert.deepEqual(words(1200, { app: 900 }), ['Your code took 900 ms', 'N+1 ×6']);
    assert.deepEqual(words(120, { database: 100 }), ['N+1 ×6']);
    assert.deepEqual(words(120, { database: 100 }, 0), ['The database took 100 ms']);
    assert.deepEqual(words(90, { app: 80 }), ['N+1 ×6']);
    assert.deepEqual(words(90, { app: 80 }, 0), []);
    assert.deepEqual(words(1200, { unaccounted: 900 }, 0), ['slow: 1.20 s']);
    assert.deepEqual(words(1200, { waiting: 900 }, 0), ['Waited 900 ms']);
    assert.deepEqual(words(400, { busy: 300, app: 90 }, 0), ['Your code took 90.0 ms']);
  });
});
