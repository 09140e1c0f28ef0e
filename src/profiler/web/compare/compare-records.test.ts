import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plain, query } from '../../../../test/profiler/plain-record.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Block } from '../../view/block.js';
import type { RecordFinding } from '../../sections/finding.js';
import { flattenError } from '#core/errors';
import { compareRecords, describeRatio, type RecordPair } from './compare-records.js';
import { comparisonBlocks } from './comparison-blocks.js';

const changeBlocks = (pair: RecordPair): readonly Block[] => comparisonBlocks(compareRecords(pair));
const describeChange = (pair: RecordPair): RecordFinding => compareRecords(pair).sentence;

/** A record with these numbers of queries. */
const recordWith = (counts: Readonly<Record<string, number>>): ProfileRecord => ({
  ...plain,
  sections: {
    db: {
      queries: Object.entries(counts).flatMap(([sql, count]) =>
        Array.from({ length: count }, () => query({ sql })),
      ),
      groups: [],
      totals: {},
    },
  },
});

/** The section about two records' queries. */
function queriesOf(
  before: ProfileRecord,
  after: ProfileRecord,
): Extract<Block, { kind: 'section' }> | undefined {
  const found = changeBlocks([before, after]).find(
    (block) => block.kind === 'section' && block.title === 'Queries',
  );
  return found?.kind === 'section' ? found : undefined;
}

describe("two records' queries", () => {
  it('are counted by shape, largest difference first, in red if more than two were added', () => {
    const first = recordWith({ 'select a': 1, 'select b': 2, 'select c': 1, 'select e': 1 });
    const second = recordWith({ 'select a': 4, 'select b': 4, 'select c': 1, 'select d': 1 });
    const section = queriesOf(first, second);
    const [shown] = section?.blocks ?? [];
    assert.ok(shown?.kind === 'table');
    assert.deepEqual(
      shown.rows.map(({ cells }) => cells.map((cell) => (typeof cell === 'object' ? cell : { text: cell }))),
      [
        ['select a', '1', '4', { text: '+3', tone: 'error' }],
        ['select b', '2', '4', { text: '+2' }],
        ['select d', '0', '1', { text: '+1' }],
        ['select e', '1', '0', { text: '−1' }],
      ].map(([sql, before, after, difference]) => [
        { text: sql, mono: true, isLine: true },
        { text: before, muted: true },
        { text: after },
        difference,
      ]),
    );
  });

  it('are limited to twelve, each with its beginning', () => {
    const many = Object.fromEntries(
      Array.from({ length: 14 }, (_, at) => [`select ${'x'.repeat(400)} from t${'y'.repeat(at)}`, 1]),
    );
    const [shown, more] = queriesOf(recordWith({}), recordWith(many))?.blocks ?? [];
    assert.ok(shown?.kind === 'table');
    assert.equal(shown.rows.length, 12);
    const [text] = shown.rows[0]?.cells ?? [];
    assert.ok(typeof text === 'object' && 'text' in text);
    assert.deepEqual([text.text.slice(0, 8), text.text.length], ['select x', 300]);
    assert.match(JSON.stringify(more), /2 further queries differ/);
  });

  it('have no section if neither record has any', () => {
    assert.equal(queriesOf(recordWith({}), recordWith({})), undefined);
  });
});

describe('the sentence about two records', () => {
  const bar = (category: string, durationMs: number): ProfileRecord['timeline'][number] => ({
    name: category,
    category,
    startMs: 0,
    durationMs,
  });
  const took = (durationMs: number, category = 'your code', part = durationMs): ProfileRecord => ({
    ...plain,
    durationMs,
    timeline: [bar(category, part)],
  });
  const said = (before: ProfileRecord, after: ProfileRecord): string => describeChange([before, after]).text;

  it('names what the later one threw, unless the earlier one threw the same', () => {
    const failed = { ...took(5), exception: flattenError(new TypeError('It broke'), {}) };
    const found = describeChange([took(5), failed]);
    assert.match(found.text, /^TypeError: It broke/);
    assert.deepEqual([found.level, found.target], ['info', { panel: 'exception' }]);
    assert.equal(said(failed, failed), 'Both took about the same time');
    assert.match(said({ ...failed, exception: flattenError(new Error('else'), {}) }, failed), /^TypeError/);
  });

  it('names a different status, and what the failed one threw', () => {
    const refused = { ...took(5), response: plain.response && { ...plain.response, status: 403 } };
    assert.deepEqual(describeChange([took(5), refused]), {
      level: 'info',
      text: 'Answered with 403 instead of 200',
    });
    const failed = { ...refused, exception: flattenError(new TypeError('It broke'), {}) };
    // The failure is the difference, no matter which of them began first.
    assert.match(said(failed, took(5)), /^TypeError: It broke/);
  });

  it('names a time difference of at least a millisecond and a tenth of the longer time', () => {
    const same = 'Both took about the same time';
    assert.equal(said(took(1), took(1.9)), same);
    assert.notEqual(said(took(1), took(2)), same);
    assert.equal(said(took(91), took(100)), same);
    assert.notEqual(said(took(90), took(100)), same);
    assert.notEqual(said(took(100), took(90)), same);
  });

  it('names the kind of work that changed most: its share of the difference, or its change', () => {
    assert.deepEqual(describeChange([took(10), took(30)]), {
      level: 'info',
      text: 'Your code makes up 100 % of the difference',
      target: { panel: 'time' },
    });
    assert.match(said({ ...took(40), timeline: [bar('http', 40)] }, took(20, 'app')), / took 40\.0 ms less$/);
    assert.match(
      said(took(40, 'app'), { ...took(20), timeline: [bar('http', 20)] }),
      /^Your code took 40\.0 ms less$/,
    );
  });

  it('about the database gives the number of additional queries, the longest loop and its location', () => {
    const callSite = { name: null, file: `${process.cwd()}/src/shop.ts`, line: 9, column: 1 };
    const withQueries = (durationMs: number, queries: number, count = 0): ProfileRecord => ({
      ...took(durationMs, 'database'),
      sections: {
        db: {
          queries: [],
          groups: count === 0 ? [] : [{ kind: 'n+1', count, callSite }],
          totals: { queries },
        },
      },
    });
    const part = 'The database makes up 100 % of the difference';
    assert.equal(said(withQueries(10, 1), withQueries(30, 1)), part);
    assert.equal(said(withQueries(10, 1), withQueries(30, 2)), `${part}: 2 queries instead of 1`);
    assert.equal(
      said(withQueries(10, 1), withQueries(30, 9, 8)),
      `${part}: 9 queries instead of 1, one of them 8 times, from src/shop.ts:9`,
    );
    assert.equal(said(withQueries(10, 8, 8), withQueries(30, 9, 8)), `${part}: 9 queries instead of 8`);
    assert.deepEqual(describeChange([withQueries(10, 1), withQueries(30, 1)]).target, { panel: 'db' });
  });

  it('says how two times compare', () => {
    assert.deepEqual(
      (
        [
          [10, 15],
          [10, 14.9],
          [15, 10],
          [14.9, 10],
          [10, 100],
          [10, 99],
          [10, 10.04],
          [10, 10.06],
          [0, 5],
          [5, 0],
        ] as const
      ).map(([before, after]) => describeRatio(before, after)),
      [
        '1.5 times as long',
        '49 % longer',
        '1.5 times as fast',
        '33 % shorter',
        '10 times as long',
        '9.9 times as long',
        'as long as before',
        '1 % longer',
        '',
        '',
      ],
    );
  });

  it('has the kinds of work with time in either record, largest difference first, on one scale', () => {
    const one = { ...took(40), timeline: [bar('your code', 10), { ...bar('http', 30), startMs: 10 }] };
    const section = changeBlocks([one, { ...one, timeline: [bar('your code', 40)] }]).find(
      (block) => block.kind === 'section' && block.title === 'Time',
    );
    assert.ok(section?.kind === 'section');
    const [table] = section.blocks;
    assert.ok(table?.kind === 'table');
    assert.deepEqual(
      table.rows.map(({ cells }) =>
        cells.map((cell) => (typeof cell === 'object' ? (cell.change ?? cell.text) : cell)),
      ),
      [
        ['your code', '10.0 ms', '40.0 ms', { before: 0.25, after: 1 }, '+30.0 ms'],
        ['outgoing', '30.0 ms', '0.00 ms', { before: 0.75, after: 0 }, '−30.0 ms'],
      ],
    );
  });
});
