import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dump } from '#core/dump';
import type { Block } from '../../view/block.js';
import { compareBlocks } from './compare-blocks.js';

/** All cells in a difference's rows, as text. */
function cellsOf(first: readonly Block[], second: readonly Block[]): string[] {
  const text = (value: unknown): string =>
    typeof value === 'object' && value !== null && 'text' in value
      ? String(value.text).trim()
      : String(value);
  return compareBlocks(first, second).flatMap((block) =>
    block.kind === 'table' ? block.rows.map(({ cells }) => cells.map(text).join(' | ')) : [],
  );
}
const pairs = (label: string, given: Readonly<Record<string, string>>): Block => ({
  kind: 'pairs',
  label,
  pairs: Object.entries(given),
  empty: '',
});
const table = (rows: readonly (readonly string[])[]): Block => ({
  kind: 'table',
  caption: 'Queries',
  columns: [],
  rows: rows.map((cells) => ({ cells })),
  empty: '',
});

describe('the difference between two panels', () => {
  it('is empty for the same blocks, of every kind', () => {
    const blocks: readonly Block[] = [
      pairs('Headers', { Accept: 'text/html' }),
      table([['select 1']]),
      { kind: 'code', label: 'Body', text: '{}' },
      { kind: 'snapshot', label: 'Data', snapshot: dump({ a: 1 }) },
      { kind: 'section', title: 'More', blocks: [{ kind: 'note', tone: 'info', text: 'Yes' }] },
    ];
    assert.deepEqual(compareBlocks(blocks, blocks), []);
  });

  it('shows differing facts, and those that only one has', () => {
    const [a, b] = [
      pairs('Headers', { Same: '1', Accept: 'html', Old: 'x' }),
      pairs('Headers', { Same: '1', Accept: 'json', New: 'y' }),
    ];
    const [difference] = compareBlocks([a], [b]);
    assert.deepEqual(
      difference?.kind === 'table' && difference.columns.map(({ label }) => label),
      ['Name', 'Before', 'After'], // as on the page
    );
    assert.deepEqual(cellsOf([a], [b]), ['Accept | html | json', 'Old | x | –', 'New | – | y']);
    assert.deepEqual(
      cellsOf([pairs('Headers', { 'X-Debug-Token': 'a' })], [pairs('Headers', { 'X-Debug-Token': 'b' })]),
      [],
    );
  });

  it('shows rows that only one table has, ignoring measurements', () => {
    const first = table([
      ['12.5 ms', 'select 1'],
      ['3 ms', 'select 2'],
    ]);
    const second = table([
      ['99 ms', 'select 1'],
      ['3 ms', 'select 3'],
    ]);
    assert.deepEqual(cellsOf([first], [second]), ['select 2 | yes | –', 'select 3 | – | yes']);
  });

  it('pairs rows and members by name', () => {
    const [before, after] = [table([['ROLE_USER', 'granted']]), table([['ROLE_USER', 'denied']])];
    assert.deepEqual(cellsOf([before], [after]), ['ROLE_USER | granted | denied']);
    const json = (text: string): Block => ({ kind: 'code', label: 'Body', text });
    assert.deepEqual(cellsOf([json('{\n  "card": "good"\n}')], [json('{\n  "card": "bad"\n}')]), [
      'card | "good" | "bad"',
    ]);
  });

  it('compares which bars there are, not their times, and a block that only one panel has', () => {
    const timeline = (ms: number, label: string): Block => ({
      kind: 'timeline',
      label: 'Timeline',
      total: 10,
      spans: [
        { label: 'router', start: 0, duration: ms },
        { label, start: 0, duration: ms, repeats: 3 },
      ],
    });
    assert.deepEqual(cellsOf([timeline(5, 'query')], [timeline(50, 'query')]), []);
    assert.deepEqual(cellsOf([timeline(5, 'query')], [timeline(5, 'call')]), [
      '3 × query | yes | –',
      '3 × call | – | yes',
    ]);
    assert.deepEqual(cellsOf([], [{ kind: 'note', tone: 'info', text: 'new' }]), ['new | – | yes']);
    const inner: Block = { kind: 'columns', columns: [[pairs('Facts', { a: '1' })]] };
    assert.deepEqual(cellsOf([inner], [pairs('Facts', { a: '2' })]), ['a | 1 | 2']);
    const named = (title: string, text: string): Block => ({
      kind: 'section',
      title,
      blocks: [pairs(title, { a: text })],
    });
    assert.deepEqual(cellsOf([named('Sent', '1')], [named('Got', '2')]), [
      'Sent · a | 1 | –',
      'Got · a | – | 2',
    ]);
  });

  it('is bounded, and says what it omits', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at}`, 'v']));
    const [shown, note] = compareBlocks([pairs('Facts', many)], []);
    assert.equal(shown?.kind === 'table' ? shown.rows.length : 0, 30);
    assert.match(note?.kind === 'note' ? note.text : '', /70 further differences/);
  });
});
