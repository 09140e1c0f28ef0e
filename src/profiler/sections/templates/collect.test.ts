import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { badgeOf, type Message, published, shown, htmlOf } from '../../../../test/profiler/shown-sections.js';
import { renderBlocksMarkdown } from '../../web/reports/render-blocks-markdown.js';
import type { Block } from '../../view/block.js';

const textOf = (blocks: readonly Block[]): string => renderBlocksMarkdown(blocks, 2);

describe('rendering', () => {
  const render = (name: string): Message => ['html:render', { name, durationMs: 0.5, length: 2048 }];

  it('is kept with name, time and size, and shown in order', async () => {
    const record = await published([
      render('Page'),
      render(''),
      ['html:render', { name: 5, durationMs: -1 }],
    ]);
    assert.deepEqual(badgeOf('view', record), [3, 'neutral', '3 templates']);
    const text = textOf(shown('view', record));
    assert.match(text, /Page.*2\.0 KiB.*0\.50 ms/);
    assert.match(text, /–.*0 B.*0\.00 ms/);
    assert.deepEqual(
      record.timeline.map(({ name, category }) => [name, category]),
      [
        ['<Page>', 'rendering'],
        ['render', 'rendering'],
        ['render', 'rendering'],
      ],
    );
  });

  it('beyond a hundred is counted, timed as one, and marked as cut', async () => {
    const record = await published(Array.from({ length: 130 }, (_, at) => render(`C${at}`)));
    assert.deepEqual(badgeOf('view', record), [130, 'neutral', '130 templates']);
    assert.match(htmlOf(shown('view', record)), /the first 100 of 130/);
    assert.deepEqual(
      record.timeline.slice(-1).map(({ name, durationMs }) => [name, durationMs]),
      [['30 further renderings', 15]],
    );
  });
});
