import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderFragment } from '#core/html';
import { renderBlocksMarkdown } from '../reports/render-blocks-markdown.js';
import type { Row, TableColumn, Value } from '../../view/block.js';
import { line } from '../../view/make-blocks.js';
import { BlockList } from './block-view.js';

const columns: readonly TableColumn[] = [
  { label: 'Time', align: 'end', minor: true },
  { label: 'Message', grow: true },
  { label: 'Place' },
];

function tableOf(rows: readonly Row[], heads: readonly TableColumn[] = columns, empty?: string): string {
  const block = {
    kind: 'table',
    caption: 'Lines',
    columns: heads,
    rows,
    ...(empty === undefined ? {} : { empty }),
  } as const;
  return String(renderFragment(<BlockList blocks={[block]} level={2} />));
}

const rowOf = (cell: Value, more: Partial<Row> = {}): Row => ({ cells: ['1 ms', cell, 'here'], ...more });
const detail = [line('More to show')];

describe('a table on a page', () => {
  it('has a caption, scoped headers, and classes for its columns', () => {
    const html = tableOf([rowOf('a')]);
    assert.match(html, /role="group" aria-label="Lines" tabindex="0"/i);
    assert.match(html, /<caption class="visually-hidden">Lines<\/caption>/);
    assert.match(
      html,
      /<th scope="col" class="end minor">Time<\/th><th scope="col" class="grow">Message<\/th><th scope="col">Place<\/th>/,
    );
    assert.match(html, /<td class="end minor">.*1 ms.*<td class="grow">/);
  });

  it('says, as page and as text, that rows were omitted', () => {
    const rows = [rowOf('a')];
    const block = { kind: 'table', caption: 'Lines, the first 1 of 7', isCut: true, columns, rows } as const;
    const html = String(renderFragment(<BlockList blocks={[block]} level={2} />));
    assert.match(html, /<caption class="cut">Lines, the first 1 of 7<\/caption>/);
    assert.match(renderBlocksMarkdown([block], 2), /^Lines, the first 1 of 7$/m);
  });

  it('without rows shows its replacement text', () => {
    assert.equal(tableOf([], columns, 'No line.'), '<p class="empty">No line.</p>');
  });

  it('marks rows by tone and anchor', () => {
    assert.match(
      tableOf([rowOf('a', { tone: 'error', anchor: 'log-3' })]),
      /<tr class="row-error" id="log-3">/,
    );
    assert.match(tableOf([rowOf('a', { tone: 'neutral' })]), /<tr><td/);
  });

  it("folds a row's detail into its widest cell, otherwise into the last", () => {
    assert.match(
      tableOf([rowOf('main', { detail })]),
      /<td class="grow"><details class="opens"><summary>.*main.*<\/summary><p class="muted">More/,
    );
    const even = columns.map(({ label }) => ({ label }));
    assert.match(
      tableOf([rowOf('main', { detail })], even),
      /<td><details class="opens"><summary>.*here.*<\/summary>/,
    );
    assert.doesNotMatch(tableOf([rowOf('main', { detail: [] })]), /<details/);
  });

  it('opens the linked fold, and has none for an open row', () => {
    assert.match(tableOf([rowOf('a', { detail, isUnfolded: true })]), /<details class="opens" open>/);
    const open = tableOf([rowOf('a', { detail, open: true })]);
    assert.doesNotMatch(open, /<details/);
    assert.match(open, /<div class="below"><p class="muted">More/);
  });

  it('starts a fold with the beginning of a long value, and shows all of it within', () => {
    const long = 'x'.repeat(301);
    for (const cell of [long, { text: long, mono: true }]) {
      const [head = '', rest = ''] = tableOf([rowOf(cell, { detail })]).split('</summary>', 2);
      assert.ok(head.includes(`${'x'.repeat(300)}…`) && !head.includes(long));
      assert.ok(rest.includes(long));
    }
    const lines = tableOf([rowOf({ text: 'first\nsecond' }, { detail })]).split('</summary>', 2);
    assert.ok(lines[0]?.includes('first…') === true && !lines[0].includes('second'));
    assert.ok(lines[1]?.includes('second'));
  });

  it("puts no button into a fold's summary", () => {
    const [head = '', rest = ''] = tableOf([rowOf({ text: 'a', copy: true }, { detail })]).split(
      '</summary>',
      2,
    );
    assert.doesNotMatch(head, /<button/);
    assert.match(rest, /<button type="button" class="copy"/);
  });
});
