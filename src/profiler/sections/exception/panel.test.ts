import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ErrorReport, flattenError } from '#core/errors';
import { badgeOf, contextWith, plain, query, shown } from '../../../../test/profiler/plain-record.js';
import type { ProfileRecord, RecordedLog } from '../../model/profile-record.js';
import { exceptionPanel } from './panel.js';
import type { PanelContext } from '../panel.js';
import type { DbQuery } from '../database/queries.js';

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
    sections: {},
    ...changes,
  } as unknown as ProfileRecord;
  const blocks = exceptionPanel.show(record, {} as PanelContext); // no more of either is read
  return blocks.flatMap((block) => (block.kind === 'note' ? [block.text] : []))[0];
}

describe('exception panel', () => {
  it('says what the client received if the error is not what it saw', () => {
    assert.equal(noteOf({ exception: seen }), undefined);
    assert.match(noteOf({}) ?? '', /after the response, which the client received completely/);
    assert.match(noteOf({ response: null }) ?? '', /no response was sent/);
    assert.match(
      noteOf({ response: { ...response, completed: false } }) ?? '',
      /broke off after 4 B.*cut response/,
    );
    assert.match(noteOf({ logs: [rejection(52)] }) ?? '', /rejected 42.0 ms after the response was sent/);
    assert.match(noteOf({ logs: [rejection(4)] }) ?? '', /rejected 4.00 ms into the request/);
  });
});

describe('the exception panel', () => {
  const report = {
    class: 'TypeError',
    message: 'x',
    status: 500,
    errors: [{ label: '1', class: 'TypeError', message: 'x', isOuter: true, frames: [] }],
  } as unknown as ErrorReport; // only these fields are read
  const late: ErrorReport = {
    ...report,
    errors: report.errors.map((error) => ({ ...error, isOuter: false })),
  };
  const notes = (changes: Partial<ProfileRecord>): readonly string[] =>
    shown(exceptionPanel, { exception: late, ...changes }).flatMap((block) =>
      block.kind === 'note' ? [block.text] : [],
    );

  it('counts the errors, and opens the record', () => {
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

  it('says what the client received before an error that followed the response', () => {
    const response = plain.response;
    assert.match(notes({ response: null })[0] ?? '', /no response was sent/);
    assert.match(
      notes({ response: response && { ...response, completed: false } })[0] ?? '',
      /broke off after 10 B/,
    );
    assert.match(notes({})[0] ?? '', /which the client received completely/);
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

  it('shows the failed statement with the position named by the database, its values and its call site', () => {
    const where = "unnamed portal parameter $1 = '...'";
    const thrown = Object.assign(new Error('invalid input syntax: "abc"'), { where });
    const failed = query({
      sql: 'SELECT * FROM product WHERE id = $1',
      error: thrown.message,
      startedAt: plain.startedAt + 5,
      params: [{ name: 'id', value: { type: 'string', text: 'abc' } }],
    });
    const db = dbOf(query({ startedAt: plain.startedAt }), failed);
    const http = { totals: { calls: 2 }, calls: [{ offsetMs: 1 }, { offsetMs: 7 }] };
    const line = { time: 0, level: 'info', channel: 'app', message: 'x' };
    const logs = [0, 2, 9].map((offsetMs) => ({ ...line, offsetMs }));
    const changes = { exception: flattenError(thrown), sections: { db, http }, logs };
    const [errors] = shown(exceptionPanel, changes);
    const [statement, pairs] = (errors?.kind === 'errors' && errors.lead) || [];
    assert.deepEqual(statement?.kind === 'code' && [statement.text, statement.mark, statement.markValue], [
      failed.sql,
      [33, 35],
      '$1 = "abc"',
    ]);
    assert.deepEqual(pairs?.kind === 'pairs' && pairs.pairs.map(([name]) => name), [
      '$1 (id)',
      'In Database',
      'Before it',
    ]);
    const link = { text: 'query 2 of 2', href: '?panel=db#query-2' };
    assert.deepEqual(pairs?.kind === 'pairs' && pairs.pairs.at(-2)?.[1], link);
    assert.equal(pairs?.kind === 'pairs' && pairs.pairs.at(-1)?.[1], '1 query · 1 call · 2 log lines');
    const long = query({
      ...failed,
      sql: `SELECT * FROM product WHERE ${'name IS NOT NULL AND '.repeat(9)}id = $1`,
    });
    const [only] = shown(exceptionPanel, { ...changes, sections: { db: dbOf(long) } });
    const [lines] = (only?.kind === 'errors' && only.lead) || [];
    assert.ok(lines?.kind === 'code' && lines.mark !== undefined);
    assert.deepEqual([lines.text.split('\n').length > 9, lines.text.slice(...lines.mark)], [true, '$1']);
    const [alone] = shown(exceptionPanel, { ...changes, sections: {} });
    assert.equal(alone?.kind === 'errors' && alone.lead, undefined);
  });

  it('shows the only call that failed with the error, and its line, if no frame is in the application', () => {
    const stack = 'TimeoutError: aborted\n    at Timeout._onTimeout (node:internal/abort_controller:129:9)';
    const thrown = Object.defineProperty(new Error('aborted after 80 ms'), 'stack', { value: stack });
    const site = { name: 'load', file: '/app/load.ts', line: 4, column: 2 };
    const call = { method: 'GET', url: 'http://a.example/', error: thrown.message, callSite: [site] };
    const good = { ...call, error: null };
    let omitted = 0;
    const callOf = (error: Error, ...calls: readonly unknown[]) => {
      const sections = { http: { totals: { calls: calls.length + omitted }, calls } };
      const [errors] = shown(exceptionPanel, {
        exception: flattenError(error, { libraryFolders: [] }),
        sections,
      });
      const [pairs] = (errors?.kind === 'errors' && errors.lead) || [];
      return pairs?.kind === 'pairs'
        ? pairs.pairs.map(([name, value]) => [
            name,
            typeof value === 'object' && value !== null && 'text' in value ? value.text : value,
          ])
        : undefined;
    };
    assert.deepEqual(callOf(thrown, good, call), [
      ['Request', 'GET http://a.example/'],
      ['Sent from', 'load (/app/load.ts:4:2)'],
      ['In HTTP client', 'call 2 of 2'],
    ]);
    assert.equal(callOf(thrown, call, call), undefined, 'two identical calls are ambiguous');
    assert.equal(callOf(thrown, good), undefined);
    assert.equal(callOf(new Error(thrown.message), call), undefined, 'the stack already names the line');
    omitted = 1;
    assert.equal(callOf(thrown, good, call), undefined, 'the failed call may be among the omitted ones');
  });

  it('says that the database refused the statement only if it answered', () => {
    const titleOf = (more: object): unknown => {
      const thrown = Object.assign(new Error('no such column: nam'), more);
      const sections = { db: dbOf(query({ error: thrown.message })) };
      const [errors] = shown(exceptionPanel, { exception: flattenError(thrown), sections });
      const [statement] = (errors?.kind === 'errors' && errors.lead) || [];
      return statement?.kind === 'code' && statement.label.split(' · ', 1)[0];
    };
    assert.equal(titleOf({ severity: 'ERROR' }), 'The database refused this statement');
    assert.equal(titleOf({ code: 'ECONNRESET' }), 'The statement that failed');
  });

  it('does not count what the request did before the statement if the record left something out', () => {
    const failed = query({ error: 'refused' });
    const beforeOf = (more: object): boolean => {
      const changes = {
        exception: flattenError(new Error('refused')),
        sections: { db: { ...dbOf(failed), ...more } },
      };
      const [errors] = shown(exceptionPanel, changes);
      const blocks = (errors?.kind === 'errors' && errors.lead) || [];
      return blocks.some(
        (block) => block.kind === 'pairs' && block.pairs.some(([name]) => name === 'Before it'),
      );
    };
    assert.deepEqual([beforeOf({}), beforeOf({ totals: { queries: 300 } })], [true, false]);
  });

  it('says next to the statement, or a single error, how often it occurred and what was different when the route worked', () => {
    const lastGood = {
      text: 'GET /a → 200',
      href: '/r/1',
      comparison: '/c/1',
      differences: [{ text: 'id', sides: ['8', 'abc'] as const }],
    };
    const context = contextWith({}, { history: { seen: '3 times', counts: [1, 0, 2], lastGood } });
    const [columns] = exceptionPanel
      .show({ ...plain, exception: late, response: null, state: 'aborted' }, context)
      .filter(({ kind }) => kind === 'columns');
    assert.ok(columns?.kind === 'columns');
    const [history] = columns.columns[1] ?? [];
    assert.deepEqual(history?.kind === 'pairs' && history.pairs, [
      ['This error', '3 times'],
      ['When it occurred', { text: 'in equal parts of the time since the first: 1, 0, 2', bars: [1, 0, 2] }],
      ['When the route worked', { text: 'GET /a → 200', href: '/r/1' }],
      ['What is different', { text: 'id: 8 → abc', mono: true, differences: lastGood.differences }],
      ['Step by step', { text: 'compare both', href: '/c/1' }],
    ]);
  });
});

function dbOf(...queries: readonly DbQuery[]): object {
  return { totals: { queries: queries.length }, groups: [], changes: [], queries };
}
