import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shown } from '../../../../test/profiler/plain-record.js';
import { logAnchor } from '../finding.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { logsPanel } from './panel.js';
import type { PanelContext } from '../panel.js';

const line = { time: 0, offsetMs: 1, level: 'info', channel: 'app', message: 'm' };

const context = { query: () => '', link: () => '' } as Partial<PanelContext> as PanelContext;

// no more is read

function record(logTotals: ProfileRecord['logTotals'], kept: number): ProfileRecord {
  const part: Partial<ProfileRecord> = {
    logs: Array.from({ length: kept }, () => line),
    logTotals,
    exception: null,
  };
  return part as ProfileRecord; // the panel reads no more
}

describe('logs panel', () => {
  it('counts all lines, has all kept ones on its pages, and says which are missing', () => {
    const cut = record(
      { total: 10_000, byLevel: { info: 9990, error: 10 }, omitted: 9500, omittedAfter: 50 },
      500,
    );
    assert.deepEqual(logsPanel.badge(cut), { count: 10, tone: 'error', words: '10 logged errors' });
    const blocks = logsPanel.show(cut, context);
    const notes = blocks.flatMap((block) => (block.kind === 'note' ? [block.text] : []));
    assert.deepEqual(notes, [
      '9,500 of 10,000 entries were left out: the first 50 and the last 450 are kept. Levels count all of them.',
    ]);
    const [levels] = blocks.flatMap((block) => (block.kind === 'filters' ? [block.filters] : []));
    assert.deepEqual(
      levels?.map(({ label, count }) => [label, count]),
      [
        ['any level', 10_000],
        ['info', 9990],
        ['error', 10],
      ],
    );
    const anchorsOf = (page: string): readonly (string | undefined)[] =>
      logsPanel
        .show(cut, { ...context, query: (name) => (name === 'page' ? page : '') })
        .flatMap((block) => (block.kind === 'table' ? block.rows.map(({ anchor }) => anchor) : []));
    const pages = Array.from({ length: 17 }, (_, index) => anchorsOf(String(index + 1)));
    assert.deepEqual(
      pages.flat(),
      Array.from({ length: 500 }, (_, index) => logAnchor(index)),
    );
    assert.deepEqual(anchorsOf('99'), pages[16], 'a page number past the end shows the last page');
  });

  it('mentions no gap if there is none', () => {
    const whole = record({ total: 2, byLevel: { info: 2 }, omitted: 0, omittedAfter: 2 }, 2);
    assert.deepEqual(logsPanel.badge(whole), { count: 2, tone: 'neutral', words: '2 log entries' });
    assert.ok(logsPanel.show(whole, context).every((block) => block.kind !== 'note'));
  });
});

describe('the log panel', () => {
  const lines = Array.from({ length: 70 }, (_, at) => ({
    time: 0,
    offsetMs: at,
    level: at % 10 === 0 ? 'error' : 'info',
    channel: `c${at % 20}`,
    message: `line ${at}`,
  }));
  const record = {
    logs: lines,
    logTotals: { total: 70, byLevel: { info: 63, error: 7 }, omitted: 0, omittedAfter: 0 },
  };
  const rowsOf = (query: Readonly<Record<string, string>>): number[] =>
    shown(logsPanel, record, query).flatMap(
      (block) =>
        block.kind === 'table' ? block.rows.map(({ cells }) => Number((cells[3] as string).slice(5))) : [], // a message
    );

  it("shows each line on one of its pages, and a requested line's page", () => {
    const pages = ['1', '2', '3'].flatMap((page) => rowsOf({ page }));
    assert.deepEqual(
      pages,
      lines.map((_, at) => at),
    );
    for (const page of ['', '0', 'x', '-1']) assert.equal(rowsOf({ page })[0], 0, page);
    assert.equal(rowsOf({ page: '99' }).at(-1), 69);
    const [first] = shown(logsPanel, record, { at: 'log-46' }).flatMap((block) =>
      block.kind === 'table' ? block.rows : [],
    );
    assert.equal(first?.cells[3], 'line 30');
  });

  it('filters by level and channel', () => {
    assert.deepEqual(rowsOf({ level: 'error' }), [0, 10, 20, 30, 40, 50, 60]);
    assert.deepEqual(rowsOf({ level: 'error', channel: 'c10' }), [10, 30, 50]);
    assert.deepEqual(rowsOf({ level: 'none' }), []);
  });
});
