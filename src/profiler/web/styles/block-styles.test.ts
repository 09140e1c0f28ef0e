import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pictureStyles } from '#dump';
import { chainStyles } from '#errors';
import type { Block } from '../../panels/blocks/block.js';
import { code, line, note, section } from '../../panels/blocks/make-blocks.js';
import { pairsOf } from '../../panels/blocks/make-facts.js';
import { pictureValue } from '../../panels/blocks/make-values.js';
import { dataStyles, stylesOf } from './block-styles.js';

const picture = { type: 'number', text: '1' } as const;
const timeline: Block = { kind: 'timeline', label: 'Time', total: 1, spans: [] };
const table = (detail: readonly Block[]): Block => ({
  kind: 'table',
  caption: 'Rows',
  columns: [{ label: 'A' }],
  rows: [{ cells: ['a'], detail }],
});

describe('styles of a page', () => {
  it('are those that its blocks need, and no more', () => {
    assert.deepEqual(stylesOf([]), []);
    assert.deepEqual(stylesOf([note('a')]), []);
    assert.ok(!stylesOf([line('a')]).includes(dataStyles));
    assert.ok(stylesOf([code('SQL', 'select 1')]).includes(dataStyles));
    assert.ok(!stylesOf([pairsOf('Facts', [['a', 'b']])]).includes(pictureStyles));
    assert.ok(stylesOf([pairsOf('Facts', [['a', pictureValue(picture)]])]).includes(pictureStyles));
  });

  it('stand once, however many blocks need them', () => {
    const styles = stylesOf([timeline, timeline, section('Again', timeline), code('SQL', ''), table([])]);
    assert.equal(new Set(styles).size, styles.length);
    assert.deepEqual(new Set(styles), new Set([...stylesOf([timeline]), ...stylesOf([code('SQL', '')])]));
  });

  it('are found for blocks within blocks: sections, columns and folds of rows', () => {
    const inner: Block = { kind: 'picture', label: 'Value', picture };
    for (const block of [
      section('Outer', section('Inner', inner)),
      { kind: 'columns', columns: [[line('a')], [inner]] },
      table([inner]),
      table([section('Fold', table([inner]))]),
    ] as const)
      assert.ok(stylesOf([block]).includes(pictureStyles), block.kind);
  });

  it('are those of errors where there are some, with the pictures of their data', () => {
    const report = { status: 500, class: 'Error', message: '', errors: [] };
    const styles = stylesOf([{ kind: 'errors', report, editor: () => undefined }]);
    assert.ok(styles.includes(chainStyles) && styles.includes(pictureStyles));
  });
});
