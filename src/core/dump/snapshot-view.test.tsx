import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderFragment } from '#core/html';
import { dump } from './dump-value.js';
import { SnapshotView } from './snapshot-view.js';

const markup = (value: unknown, open = 1): string =>
  renderFragment(<SnapshotView snapshot={dump(value)} open={open} />).toString();

const shown = (value: unknown): string =>
  markup(value)
    .replaceAll(/<span class="pic-more">.*?<\/span>/g, '')
    .replaceAll(/<[^>]*>|\s+/g, '');

describe('SnapshotView', () => {
  it("shows an expanded tree's members between its brackets, not after an empty pair", () => {
    assert.equal(shown({ a: [true], b: null }), '{a:Array(1)[0:true]b:null}');
  });

  it('expands as many levels as requested', () => {
    const value = { a: { b: { c: 1 } } };
    for (const [open, expected] of [
      [0, 0],
      [1, 1],
      [2, 2],
      [9, 3],
    ] as const)
      assert.equal(markup(value, open).match(/<details class="pic" open>/g)?.length ?? 0, expected);
  });

  it('shows map keys as snapshots', () => {
    assert.equal(shown(new Map([[{ id: 1 }, 'one']])), 'Map(1){{id:1}=>&quot;one&quot;}');
  });

  it('escapes text, keys and class names', () => {
    const html = markup({ '<b>': '<i>&"' });
    assert.ok(!/<[bi]>/.test(html), html);
    assert.match(html, /&lt;b>|&lt;b&gt;/);
  });

  it('adds no space between quotes and text, which is shown literally', () => {
    assert.match(markup(' a '), /">(?:"|&quot;) a (?:"|&quot;)<\/span>$/);
  });
});
