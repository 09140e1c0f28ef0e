import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plain, query } from '../../../../test/profiler/plain-record.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Block } from '../blocks/block.js';
import { changeBlocks } from './compare-records.js';

/** A record whose queries are these, as often as said. */
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

/** The section about queries of two records. */
function queriesOf(
  before: ProfileRecord,
  after: ProfileRecord,
): Extract<Block, { kind: 'section' }> | undefined {
  const found = changeBlocks([before, after]).find(
    (block) => block.kind === 'section' && block.title === 'Queries',
  );
  return found?.kind === 'section' ? found : undefined;
}

describe('the queries of two records', () => {
  it('are counted by shape, the largest difference first, in red where more than two came in addition', () => {
    const first = recordWith({ 'select a': 1, 'select b': 2, 'select c': 1, 'select e': 1 });
    const second = recordWith({ 'select a': 4, 'select b': 4, 'select c': 1, 'select d': 1 });
    const section = queriesOf(first, second);
    assert.equal(section?.hint, '5 before, 10 after');
    const [shown] = section.blocks;
    assert.ok(shown?.kind === 'table');
    assert.deepEqual(
      shown.rows.map(({ cells }) => cells.map((cell) => (typeof cell === 'object' ? cell : { text: cell }))),
      [
        ['select a', '1', '4', { text: '+3', tone: 'error' }],
        ['select b', '2', '4', { text: '+2' }],
        ['select d', '', '1', { text: '+1' }],
        ['select e', '1', '', { text: '−1' }],
        ['select c', '1', '1', { text: 'same', muted: true }],
      ].map(([sql, before, after, difference]) => [
        { text: sql, mono: true, isLine: true },
        { text: before, muted: true },
        { text: after, muted: true },
        difference,
      ]),
    );
  });

  it('are twelve at most, each with its beginning', () => {
    const many = Object.fromEntries(
      Array.from({ length: 14 }, (_, at) => [`select ${'x'.repeat(400)} from t${'y'.repeat(at)}`, 1]),
    );
    const [shown, more] = queriesOf(recordWith({}), recordWith(many))?.blocks ?? [];
    assert.ok(shown?.kind === 'table');
    assert.equal(shown.rows.length, 12);
    const [text] = shown.rows[0]?.cells ?? [];
    assert.ok(typeof text === 'object' && 'text' in text);
    assert.deepEqual([text.text.slice(0, 8), text.text.length], ['select x', 300]);
    assert.match(JSON.stringify(more), /2 more in the panels of the records/);
  });

  it('have no section where neither record has any', () => {
    assert.equal(queriesOf(recordWith({}), recordWith({})), undefined);
  });
});
