import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { VNode } from 'preact';
import { snapshotStyles } from '#core/dump';
import { chainStyles, flattenError } from '#core/errors';
import { type InlineAsset, renderFragment } from '#core/html';
import type { Block } from '../../view/block.js';
import { code, line, note, section } from '../../view/make-blocks.js';
import { pairsOf } from '../../view/make-facts.js';
import { snapshotValue } from '../../view/make-values.js';
import { BlockList } from '../blocks/block-view.js';
import { stylesFor } from './profiler-styles.js';

const snapshot = { type: 'number', text: '1' } as const;
const timeline: Block = { kind: 'timeline', label: 'Time', total: 1, spans: [] };
const table = (detail: readonly Block[]): Block => ({
  kind: 'table',
  caption: 'Rows',
  columns: [{ label: 'A' }],
  rows: [{ cells: ['a'], detail }],
});

function stylesOf(...blocks: readonly Block[]): readonly InlineAsset[] {
  const list: VNode = <BlockList blocks={blocks} level={3} />;
  return stylesFor(renderFragment(<section class="panel">{list}</section>).toString());
}

/** Whether one of the sheets has this selector. */
const has = (styles: readonly InlineAsset[], selector: string): boolean =>
  styles.some(({ text }) => text.includes(`${selector}{`));
const [dataStyles, factStyles, recordStyles, timelineStyles] = [
  '.listing',
  '.value b',
  '.record-head',
  '.hull',
] as const;

describe("a page's styles", () => {
  it('are those that its blocks need, and no more', () => {
    const few = stylesOf();
    assert.ok(has(few, recordStyles));
    assert.deepEqual(stylesOf(note('a'), line('a')), few);
    assert.ok(has(stylesOf(code('SQL', 'select 1')), dataStyles));
    const facts = stylesOf(pairsOf('Facts', [['a', 'b']]));
    assert.deepEqual(
      [has(facts, factStyles), has(facts, dataStyles), has(few, factStyles)],
      [true, false, false],
    );
    assert.ok(!stylesOf(pairsOf('Facts', [['a', 'b']])).includes(snapshotStyles));
    assert.ok(stylesOf(pairsOf('Facts', [['a', snapshotValue(snapshot)]])).includes(snapshotStyles));
    assert.deepEqual(stylesOf(line('class="timeline"')), few);
  });

  it('appear once, however many blocks need them', () => {
    const styles = stylesOf(timeline, timeline, section('Again', timeline), code('SQL', ''), table([]));
    assert.equal(new Set(styles).size, styles.length);
    for (const one of [timelineStyles, dataStyles]) assert.ok(has(styles, one));
  });

  it('are found for nested blocks: sections, columns and folded rows', () => {
    const inner: Block = { kind: 'snapshot', label: 'Value', snapshot };
    for (const block of [
      section('Outer', section('Inner', inner)),
      { kind: 'columns', columns: [[line('a')], [inner]] },
      table([inner]),
      table([section('Fold', table([inner]))]),
    ] as const)
      assert.ok(stylesOf(block).includes(snapshotStyles), block.kind);
  });

  it('include error styles if there are errors', () => {
    const report = flattenError(new Error('x'), { libraryFolders: [] });
    const styles = stylesOf({ kind: 'errors', report, editor: () => undefined });
    assert.ok(styles.includes(chainStyles) && !has(styles, timelineStyles));
  });
});
